"""Memory, machine code and signals of native programs."""
