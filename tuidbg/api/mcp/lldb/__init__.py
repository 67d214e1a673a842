"""The tool set ``lldb``: forty tools for native programs."""
