"""The exception at which a program stands, told whole."""
