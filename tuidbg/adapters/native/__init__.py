"""What adapters of native code are asked beyond DAP."""
