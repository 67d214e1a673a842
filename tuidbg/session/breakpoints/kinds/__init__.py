"""The kinds of breakpoints: how each is asked for, and bound where lists of files don't do it."""
