"""The look of every page: its stylesheet, its icons, and the choice between light and dark."""
