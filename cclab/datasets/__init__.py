"""Data sets: generators, published sets by name, and one's own tables and arrays."""

from cclab.datasets.catalogue import list_datasets
from cclab.datasets.dataset import Dataset
from cclab.datasets.load import load_dataset
from cclab.datasets.made_from import MadeFrom
from cclab.datasets.parquet_rows import ParquetRows, write_beliefs
from cclab.datasets.rows import DroppedRows, Rows
from cclab.datasets.table_files import read_table

__all__ = [
    "Dataset",
    "DroppedRows",
    "MadeFrom",
    "ParquetRows",
    "Rows",
    "list_datasets",
    "load_dataset",
    "read_table",
    "write_beliefs",
]
