"""The commands of the command line, one module each; ``cli/parser.py`` lists them."""
