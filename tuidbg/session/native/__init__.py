"""The parts that only native programs have: memory, registers, machine code, signals."""
