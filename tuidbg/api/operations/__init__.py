"""Everything that is asked from outside, in neutral types: the front ends only name the fields."""
