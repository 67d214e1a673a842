"""The output of tracepoints and log points."""
