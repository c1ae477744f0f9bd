"""Campaigns that other tools, or ours, have written down: their texts."""
