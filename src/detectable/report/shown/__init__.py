"""The pictures of each result: which charts it has, and what their titles, captions and alternatives say.

The charts themselves, without words about a result, are in ``report/charts``.
"""
