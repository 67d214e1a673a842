"""Tells where a step goes: into awaits, tasks, calls that are told apart, threads that are held."""

from __future__ import annotations
