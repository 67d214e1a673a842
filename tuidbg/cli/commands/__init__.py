"""The commands of the command line, a module each; ``command_table`` names them."""
