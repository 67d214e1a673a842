"""Runs inside the debugged program when a person looks into it (``InsideModule``).

Each file here is one module of its own there, put in when it is first needed, and nothing before.
They must run on every Python that debugpy supports (3.8 and newer), import nothing that is not
there already (``sys.modules``), print nothing and leave nothing behind. ``base.py`` goes first;
what a module takes of another (``sys.modules["_tuidbg_NAME"]``) is installed before it.
"""
