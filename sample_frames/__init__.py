"""Bundled games and frames with truth, and the studio that makes them."""
