"""What a solver believes: hard, fuzzy, possibilistic and credal partitions."""
