"""The studio: renders photo-like frames of the game, with exact truth."""
