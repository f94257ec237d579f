"""What the pages are made of: one look, one spacing, one type scale."""
