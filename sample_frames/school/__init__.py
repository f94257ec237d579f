"""What teaches the net of `vision`: quick pictures of made-up tables with each pixel's class, and the training."""
