"""The settings: their values, the source of each, and how to change them."""
