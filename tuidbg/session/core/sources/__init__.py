"""The sources of the program: rules, locations, definitions."""
