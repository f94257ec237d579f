"""The tests; `./highway test` runs them, and every other check, in one go."""
