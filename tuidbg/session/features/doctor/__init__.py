"""The breakpoint doctor: why a breakpoint does not stop, and possible fixes."""
