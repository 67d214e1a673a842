"""Variables and watches on the screen."""
