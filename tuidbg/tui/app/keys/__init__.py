"""Keys and commands: the table, the key maps, the command line."""
