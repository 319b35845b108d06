"""Hard clusters around means, with links or seeds."""
