"""Agreement: how far workers agree with themselves on repeats, and with each other on the same item."""
