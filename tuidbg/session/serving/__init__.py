"""Sessions that programs share: who asked for what, and what is logged of it."""
