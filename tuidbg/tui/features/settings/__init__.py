"""The settings: values, sources, and how to change them."""
