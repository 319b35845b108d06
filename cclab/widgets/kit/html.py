"""HTML built from Python values, escaped unless it is HTML already."""

from markupsafe import Markup, escape

#: Text that is HTML: `tag` puts it in as it is, and escapes everything else.
Html = Markup


def tag(name: str, *children: object, **attributes: object) -> Html:
    """One element. Children that are not `Html` are escaped; a list of children is laid flat.

    An attribute's underscores become hyphens, and a trailing one is dropped (``class_``, ``for_``). None and False
    leave it out, True writes it bare; ``aria_`` and ``data_`` attributes are written "true" or "false".

    >>> print(tag("td", "a < b", class_="cc-number", data_id=3))
    <td class="cc-number" data-id="3">a &lt; b</td>
    >>> print(tag("button", tag("b", "Same"), disabled=True, aria_pressed=False))
    <button disabled aria-pressed="false"><b>Same</b></button>
    """
    opening = name + "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    return Html(f"<{opening}>{join(*children)}</{name}>")


def join(*children: object) -> Html:
    """Children one after the other, escaped where they are not `Html`; None is left out.

    >>> print(join("1 < 2", Html("<br>"), ["x", None, 3]))
    1 &lt; 2<br>x3
    """
    return Html("".join(_child(child) for child in children))


def _child(child: object) -> str:
    if child is None:
        return ""
    return join(*child) if isinstance(child, list | tuple) else escape(child)


def _attribute(name: str, value: object) -> str:
    if isinstance(value, bool) and name.startswith(("aria-", "data-")):
        value = str(value).lower()
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(value)}"'
