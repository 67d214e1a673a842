"""The parts for native programs only: memory, registers, disassembly, signals."""
