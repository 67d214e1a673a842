"""Debug sessions, independent of front ends: ``hub`` -> ``features`` -> ``core`` -> ``model``."""

from tuidbg.session import features as features
