"""One call of a function, recorded step by step."""
