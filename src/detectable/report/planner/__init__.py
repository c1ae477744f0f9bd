"""A planner: fields of every scenario, described once, from which all else is made.

The form on a page, the address that stands for its state, the command line and the Python that give
the same numbers: all of them come from `Form` and `Field`.
"""
