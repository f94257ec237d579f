"""Which seeds are for what."""

SPLITS = {"train": range(0, 1_000_000), "dev": range(1_000_000, 1_001_000), "test": range(2_000_000, 2_001_000)}
"""Seeds of each split; those of `test` are never rendered for anything else."""
