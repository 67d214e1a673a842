"""The recorded past on the screen: moments in the panes of the present."""
