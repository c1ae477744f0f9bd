"""Tests of campaigns that were written down."""
