"""Pictures as data: reading them, features and objects of their pixels, strokes on them, and what strokes mean."""

from .dabs import Dab, Palette
from .features import FEATURES, features, flattened
from .objects import Objects, distinct_values, single_pixels, superpixels
from .painting import Painting, Posed
from .picture import Picture
from .reading import image_names, load_image
from .recipes import Options, Recipe
from .regions import Regions
from .strokes import Stroke, rasterize, surviving_pixels

__all__ = [
    "FEATURES",
    "Dab",
    "Objects",
    "Options",
    "Painting",
    "Palette",
    "Picture",
    "Posed",
    "Recipe",
    "Regions",
    "Stroke",
    "distinct_values",
    "features",
    "flattened",
    "image_names",
    "load_image",
    "rasterize",
    "single_pixels",
    "superpixels",
    "surviving_pixels",
]
