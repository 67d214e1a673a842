"""What tracepoints and log points have told."""
