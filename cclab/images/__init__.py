"""Pictures as data: reading them, features and objects of their pixels, strokes on them."""

from .features import FEATURES, features, flattened
from .objects import Objects, distinct_values, single_pixels, superpixels
from .picture import Picture
from .reading import image_names, load_image
from .strokes import Stroke, rasterize, surviving_pixels

__all__ = [
    "FEATURES",
    "Objects",
    "Picture",
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
