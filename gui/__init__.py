"""The dashboard and the command line."""
