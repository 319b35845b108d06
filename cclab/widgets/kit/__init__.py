"""What views are made of: boxes, rows, the theme, and the way to the browser. Knows no session."""
