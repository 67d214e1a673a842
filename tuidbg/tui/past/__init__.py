"""Going back in time on the screen: recorded moments in the panes of the present."""
