"""Going back in time on the screen."""
