"""The kinds of breakpoints: how each is requested, and bound where file lists don't do it."""
