"""The commands of the line mode, by what they do, and the table of them."""
