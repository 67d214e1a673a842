"""The probe: decides at breakpoints inside the debugged program (``probe.py``)."""
