"""What ``sentinel serve``, ``loops`` and ``audit`` take and say."""
