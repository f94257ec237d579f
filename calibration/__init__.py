"""Cameras, transforms, printed sheets and the owner's kit: from pictures of known things to a rig."""
