"""One session with its debug adapter: connection, execution, breakpoints, stack, values."""
