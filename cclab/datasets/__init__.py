"""Data sets: generators, published sets by name, and one's own tables and arrays."""

from .dataset import Dataset
from .load import load_dataset
from .reading import read_table
from .registry import list_datasets

__all__ = ["Dataset", "list_datasets", "load_dataset", "read_table"]
