"""The pytest plug-in: the debugger opens at a test's failure, or at its beginning."""
