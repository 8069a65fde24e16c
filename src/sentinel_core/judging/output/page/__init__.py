"""The page: one HTML file for one trace or many, which asks nothing of any network."""
