"""Commands for running programs, here or on another machine."""
