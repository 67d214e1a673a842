"""The nouns of which an adapter's profile is composed, each with what holds where nothing differs.

A class here says a thing once: its meaning, and its default. An adapter that differs in it has a
class of its own that inherits from it; the session asks ``profile.start``, ``profile.stops`` ...
"""
