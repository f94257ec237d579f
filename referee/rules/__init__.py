"""The rules: each is a function from a turn to its violations, in the order in which people check them."""
