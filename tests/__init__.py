"""The tests of tuidbg, in the shape of the package."""
