"""Sentences with measured numbers: made from values, never typed."""


class Sentence:
    """A sentence that a notebook shows as running text."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def say(text: str, /, *, when: bool = True, otherwise: str | None = None, **values) -> Sentence:
    """Return a sentence with its numbers filled in; a notebook shows it, ``str()`` gives it.

    Parameters
    ----------
    text : str
        Sentence with format fields, such as ``"The error is {error:.1f} %."``; Markdown is shown.
    when : bool, default=True
        What decides a sentence that compares.
    otherwise : str, optional
        Sentence if `when` is false; needed (ValueError) wherever `when` can be false.
    **values
        Values of the fields.

    Examples
    --------
    >>> say("The tree has an error of {tree:.1f} %.", tree=2.34)
    The tree has an error of 2.3 %.
    >>> say("The tree is better.", when=2.3 < 2.1, otherwise="The tree is not better.")
    The tree is not better.
    """
    if not when and otherwise is None:
        raise ValueError(f"The sentence is not true and there is no other: {text!r}.")
    return Sentence((text if when else otherwise).format(**values))
