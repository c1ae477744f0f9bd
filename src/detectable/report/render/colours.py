"""The colours of pages and their charts, as CSS: light and dark; paper is light."""

from detectable.report.charts.theme import tokens_css


def colours_css(root: str = ":root") -> str:
    """Return the custom properties.

    Parameters
    ----------
    root : str
        The selector under which they hold.
    """
    light = f"{tokens_css()} --shade: #1b1f2433;"
    dark = f"{tokens_css(dark=True)} --shade: #000c;"
    return (
        f"{root} {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ {root} {{ {dark} }} }}\n"
        f"@media print {{ {root} {{ color-scheme: light; }} }}"
    )
