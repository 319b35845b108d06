"""Typicalities: how well a sample fits a cluster, whatever the others say."""
