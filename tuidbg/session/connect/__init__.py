"""Ways to a program that runs already, here or elsewhere."""
