"""The recorded run of a program: begun and ended here, and looked at as if it stood there."""
