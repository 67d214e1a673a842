"""One run of a program: how it is begun, how it ends, and which of its processes are ended."""
