"""Pictures as data: reading them, features and objects of their pixels, strokes on them, and what strokes mean."""

from cclab.images.batch import apply_to_folder, over_slices, strokes_as_labels, table_of
from cclab.images.features import FEATURES, features, flattened
from cclab.images.learned import Applied, Failed, Model
from cclab.images.objects import Objects, distinct_values, single_pixels, superpixels
from cclab.images.picture import Picture
from cclab.images.pieces import Pieces, find_pieces
from cclab.images.pose import Painting
from cclab.images.posed import Posed
from cclab.images.prototypes import Dab, Palette
from cclab.images.reading import image_names, load_image, load_stack, picture_files
from cclab.images.recipe import Options, Recipe
from cclab.images.regions import Regions
from cclab.images.stack import Stack
from cclab.images.strokes import Stroke, rasterize, surviving_pixels

__all__ = [
    "FEATURES",
    "Applied",
    "Dab",
    "Failed",
    "Model",
    "Objects",
    "Options",
    "Painting",
    "Palette",
    "Picture",
    "Pieces",
    "Posed",
    "Recipe",
    "Regions",
    "Stack",
    "Stroke",
    "apply_to_folder",
    "distinct_values",
    "features",
    "find_pieces",
    "flattened",
    "image_names",
    "load_image",
    "load_stack",
    "over_slices",
    "picture_files",
    "rasterize",
    "single_pixels",
    "strokes_as_labels",
    "superpixels",
    "surviving_pixels",
    "table_of",
]
