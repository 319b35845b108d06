"""Many weak clusterings, each minding the links that those before it broke, as one kernel."""
