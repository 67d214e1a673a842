"""All programs of another machine over one connection, which may break off and comes back.

``far`` takes the programs in on their machine, ``near`` gives them to whoever listens on this one;
between them stands one line (``line``), over TLS where that is asked for.
"""
