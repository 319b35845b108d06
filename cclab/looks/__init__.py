"""How beliefs and statements look: hue, shape, place and outline. Pure functions, no widgets."""
