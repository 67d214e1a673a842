"""Asks adapters of native code beyond DAP."""
