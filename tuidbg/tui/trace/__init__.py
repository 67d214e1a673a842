"""Shows what tracepoints and log points have told."""
