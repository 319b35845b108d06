"""What all dashboards have in common."""
