"""A run: parts built from the settings, the loop driven by one process or several, and its report."""
