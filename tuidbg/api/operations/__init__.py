"""All operations of the API, in neutral types: the front ends only name the fields."""
