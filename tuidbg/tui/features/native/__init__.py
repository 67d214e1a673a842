"""Memory, disassembly and signals of native programs."""
