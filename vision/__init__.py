"""From frames to a measured layout: sources, gate, hands, change, cars, recording."""
