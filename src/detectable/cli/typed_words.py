"""Messages of the library in the words of the command line."""

import re

import click


def as_typed(message: str) -> str:
    """Return a message of the library in the words of the command line.

    The library names its arguments, `n_resamples` or ``n_resamples=99``; people on the command
    line typed ``--resamples 99``.
    """
    context = click.get_current_context(silent=True)
    parameters = [] if context is None else context.command.params
    options = {
        parameter.name: parameter
        for parameter in parameters
        # Names that are not in the message are left out: a pattern of all options of a command
        # takes longer to compile than the message to print.
        if isinstance(parameter, click.Option) and parameter.name and parameter.name in message
    }
    names = {name: option.opts[0] for name, option in options.items()}
    if not names:
        return message
    known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    # After --column stands the role of a column, which may be called as an option is.
    with_value = re.compile(
        rf"`?(?<![\w-])(?<!--column )({known})=(?:'([^']*)'|\"([^\"]*)\"|([\w.+-]+|…))`?"
    )

    def typed(found: re.Match[str]) -> str:
        value = next(part for part in found.groups()[1:] if part is not None)
        if options[found[1]].is_flag and value == "True":  # a flag takes no value
            return names[found[1]]
        return f"{names[found[1]]} {value}"

    message = with_value.sub(typed, message)
    message = re.sub(rf"`({known})`", lambda found: names[found[1]], message)
    long = "|".join(sorted((name for name in names if "_" in name), key=len, reverse=True))
    if not long:
        return message
    return re.sub(rf"(?<![\w`=.-])({long})(?![\w`=])", lambda found: names[found[1]], message)
