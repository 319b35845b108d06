"""Columns of a table: what they hold, what each is used for, and how they become features."""
