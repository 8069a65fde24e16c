"""Many traces, on all cores or on a cluster, with the same bytes as one process."""
