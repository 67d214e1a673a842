"""The way into a program that runs already, by its process id, that never harms it.

``enter.py`` is the process that goes in, ``visit.py`` what a native debugger is asked to do there,
``texts.py`` what then runs in the program.
"""
