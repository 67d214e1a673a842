"""The sessions of this process, and those who share them."""
