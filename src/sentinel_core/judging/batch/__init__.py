"""Many traces: on all cores, or on a cluster; the same bytes whoever did the work."""
