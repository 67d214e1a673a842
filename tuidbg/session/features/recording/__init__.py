"""The recorded run of a program, and its moments shown like stops."""
