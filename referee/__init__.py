"""The referee: pure, immutable, complete. Layouts in mm go in, rulings come out."""
