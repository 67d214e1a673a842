"""Commands for programs that run already, here or on another machine."""
