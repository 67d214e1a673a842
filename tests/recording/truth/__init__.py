"""The truth about small programs, by a tracer that copies everything."""
