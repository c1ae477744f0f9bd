"""Strengths of systems from battles: Bradley–Terry models, their errors, and what exists."""
