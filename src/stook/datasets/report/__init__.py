"""What a run tells: counts for machines, a line for each class of problem, an issue for the maintainers."""
