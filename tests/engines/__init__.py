"""Jobs under the launchers that people have, as they are."""
