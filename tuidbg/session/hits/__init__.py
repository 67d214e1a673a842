"""What happens when a breakpoint is hit: counts, conditions, messages, records."""
