"""Samples by a rule: ``petal_length > 5 and species == "setosa"``. Read by `ast`; nothing is ever run as code.

A rule has columns, numbers and texts, arithmetic, comparisons, ``and``, ``or``, ``not`` and ``in``. All else, such as a
call, an attribute or an index, is refused before a single value is looked at.
"""

from __future__ import annotations

import ast
import keyword
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.core.words import did_you_mean, shortened
from cclab.datasets.columns.localised import read_column

#: A rule has at most so many letters, and so many parts.
MOST_LETTERS, MOST_PARTS = 2_000, 200

Columns = Mapping[str, Any]
Mask = NDArray[np.bool_]

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_PLAIN = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.BinOp),
    *(ast.Compare, ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.Name, ast.Load, ast.Constant),
    *(ast.List, ast.Tuple, ast.Set, *_ARITHMETIC, *_COMPARISONS),
)
_REFUSED = {
    ast.Call: "a call",
    ast.Attribute: "a dot after a name",
    ast.Subscript: "square brackets after a name",
    ast.MatMult: "@",
    ast.Lambda: "lambda",
    ast.NamedExpr: ":=",
    ast.JoinedStr: "an f-string",
    ast.IfExp: "if",
    ast.Dict: "a dictionary",
    ast.BitAnd: "& (write “and”)",
    ast.BitOr: "| (write “or”)",
    ast.Invert: "~ (write “not”)",
}
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|`([^`]*)`|\b([A-Za-z_]\w*)\b""")
_CODE = re.compile(r"(?<![\w.\"'])0\d+(?![\w.])")
# Words of Python that rules do without may be names of columns: "class" is one of ours.
_NAMES = {*keyword.kwlist} - {"and", "or", "not", "in", "is", "None", "True", "False"}


class RuleError(ValueError):
    """A rule that can't be understood, in words that say where and why."""


class CallError(RuleError):
    """A call, which is never made, where a rule should be."""


def select(rule: str, columns: Columns) -> Mask:
    """(n,) which samples a rule holds for. A missing value fulfils no comparison but ``!=`` and ``is None``.

    Parameters
    ----------
    rule : str
        A name that has spaces or signs in it stands in backticks, or is written with underscores; it may be shortened
        as long as it is clear.
    columns : mapping from str to array
        One value for each sample: numbers, truth values, dates, texts or categories.

    Raises
    ------
    RuleError
        A typo, with the column that may have been meant; or code.

    Examples
    --------
    >>> flowers = {"petal length (cm)": [1.4, 5.1, 6.0], "species": ["setosa", "virginica", "virginica"]}
    >>> select('petal_length > 5.5 or species == "setosa"', flowers).tolist()
    [True, False, True]
    >>> select('5 < `petal length (cm)` < 6 and "vir" in species', flowers).tolist()
    [False, True, False]
    >>> select("petal_lenth > 5", flowers)
    Traceback (most recent call last):
    ...
    cclab.datasets.rules.RuleError: there is no column “petal_lenth”; did you mean petal_length_cm?
    >>> select("open('x').read()", flowers)
    Traceback (most recent call last):
    ...
    cclab.datasets.rules.CallError: a rule has no call in it: columns, numbers, "texts", + - * /, comparisons...
    """
    tree, quoted = _parsed(rule)
    try:
        with np.errstate(all="ignore"):
            found = _Reading(columns, quoted).value(tree.body)
    except RuleError as error:  # which may speak of names that stand for those in backticks
        raise RuleError(re.sub(r"\b_quoted_\d+\b", lambda name: quoted.get(name[0], name[0]), str(error))) from None
    if not _is_mask(found):
        raise RuleError(f"“{_short(rule)}” is a value, and no rule: compare it with something, as in “… > 5”")
    return np.broadcast_to(found, _length(columns)).copy()


def is_rule(words: str) -> bool:
    """Whether words look like a rule, rather than like a text to look for: a comparison, or “in”, with its two sides.

    >>> [is_rule(words) for words in ("petal > 5", "setosa", "a in b", "x == 'y'", "5 > 3 tonnes of it", "not bad")]
    [True, False, True, True, False, False]
    """
    try:
        tree, _ = _parsed(words)
    except RuleError:
        return False
    return any(isinstance(node, ast.Compare) for node in ast.walk(tree))


def refuse_calls(words: str) -> None:
    """Raise a `CallError` if words are code that calls something; file names and addresses are texts.

    >>> refuse_calls("ann@example.org")
    >>> refuse_calls("open('x')")
    Traceback (most recent call last):
    ...
    cclab.datasets.rules.CallError: a rule has no call in it: columns, numbers, "texts", + - * /, comparisons...
    """
    try:
        _parsed(words)
    except CallError:
        raise
    except RuleError:
        return


def names_in(columns: Iterable[str]) -> dict[str, str]:
    """How each column may be written in a rule without backticks.

    >>> names_in(["petal length (cm)", "species"])
    {'petal_length_cm': 'petal length (cm)', 'species': 'species'}
    """
    return {_plain(name): name for name in columns}


def _parsed(rule: str) -> tuple[ast.Expression, dict[str, str]]:
    """The tree of a rule that has nothing in it but what rules may have, and the names that stood in backticks."""
    rule = rule.strip()
    if not rule:
        raise RuleError("the rule is empty; write for instance “x > 5”")
    if len(rule) > MOST_LETTERS:
        raise RuleError(f"the rule has {len(rule):,} letters; {MOST_LETTERS:,} are read at most")
    quoted: dict[str, str] = {}

    def keep(match: re.Match[str]) -> str:
        if match[2] is None and match[3] not in _NAMES:
            return match[0]
        name = f"_quoted_{len(quoted)}"
        quoted[name] = match[3] if match[2] is None else match[2]
        return name

    try:
        with warnings.catch_warnings(action="ignore"):  # of what a text has in it
            tree = ast.parse(_QUOTED.sub(keep, rule), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = getattr(error, "offset", None)
        where = f" near “{rule[max(0, at - 8) : at + 8].strip()}”" if at else ""
        raise RuleError(f"“{_short(rule)}” can't be read{where}{_hint(rule)}") from None
    n_parts = 0
    for node in ast.walk(tree):
        n_parts += 1
        if not isinstance(node, _PLAIN):
            what = next((words for kind, words in _REFUSED.items() if isinstance(node, kind)), type(node).__name__)
            raise (CallError if isinstance(node, ast.Call) else RuleError)(
                f'a rule has no {what.removeprefix("a ")} in it: columns, numbers, "texts", + - * /, comparisons, '
                "and, or, not, in are all there is"
            )
    if n_parts > MOST_PARTS:
        raise RuleError(f"the rule has {n_parts:,} parts; {MOST_PARTS} are read at most")
    return tree, quoted


def _hint(rule: str) -> str:
    """What may be meant where a rule can't be read."""
    if re.search(r"[^=<>!]=[^=]", rule):
        return "; to compare, write =="
    code = _CODE.search(rule)
    return f"; a code that begins with 0 is a text: “{code[0]}” in quotes" if code else ""


class _Reading:
    """The value of each part of a rule: an array with one entry for each sample, or one value for all."""

    def __init__(self, columns: Columns, quoted: Mapping[str, str]) -> None:
        self._columns, self._quoted = columns, quoted
        self._plain = names_in(columns)

    def value(self, node: ast.AST) -> Any:
        match node:
            case ast.Constant():
                return _constant(node.value)
            case ast.Name():
                return self._column(node.id)
            case ast.BoolOp():
                join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
                return join.reduce([self._mask(part) for part in node.values])
            case ast.UnaryOp(op=ast.Not()):
                return ~np.asarray(self._mask(node.operand))
            case ast.UnaryOp():
                value = self._number(node.operand)
                return -value if isinstance(node.op, ast.USub) else value
            case ast.BinOp():
                return _ARITHMETIC[type(node.op)](self._number(node.left), self._number(node.right))
            case ast.Compare():
                return self._comparison(node)
        if isinstance(node, ast.Tuple):
            raise RuleError("there is a comma in the rule: numbers are written with a point and no more, as 1234.5")
        raise RuleError(f"{_text(node)} stands where a column, a number or a text is expected")

    def _column(self, name: str) -> Any:
        return _values(self._columns[self._found(name)])

    def _found(self, name: str) -> str:
        """The column that a name means: as it is, in plain letters, or shortened."""
        name = self._quoted.get(name, name)
        if name in self._columns:
            return name
        plain = _plain(name)
        if plain in self._plain:
            return self._plain[plain]
        longer = [each for each in self._plain if each.startswith(f"{plain}_")]
        if len(longer) == 1:
            return self._plain[longer[0]]
        if longer:
            raise RuleError(f"“{name}” could be {' or '.join(longer[:4])}; write which")
        hint = did_you_mean(plain, self._plain) or f"there are {', '.join([*self._plain][:6])}"
        raise RuleError(f"there is no column “{_short(name)}”; {hint}")

    def _mask(self, node: ast.AST) -> Any:
        value = self.value(node)
        if not _is_mask(value):
            raise RuleError(f"“{_text(node)}” is a value, and neither true nor false: compare it, as in “… > 5”")
        return value

    def _number(self, node: ast.AST) -> Any:
        value = self.value(node)
        if np.asarray(value).dtype.kind not in "fiub":
            raise RuleError(f"“{_text(node)}” is no number, so there is nothing to reckon with it")
        return np.asarray(value, dtype=float)

    # ------------------------------------------------------------------ comparisons

    def _comparison(self, node: ast.Compare) -> Any:
        sides: list[ast.AST] = [node.left, *node.comparators]
        masks = [self._compared(left, by, right) for left, by, right in zip(sides, node.ops, sides[1:])]
        return np.logical_and.reduce(masks)

    def _compared(self, left: ast.AST, by: ast.cmpop, right: ast.AST) -> Any:
        if isinstance(by, ast.In | ast.NotIn):
            inside = self._inside(left, right)
            return inside if isinstance(by, ast.In) else ~np.asarray(inside)
        negative = isinstance(by, ast.NotEq | ast.IsNot)
        for one, other in ((left, right), (right, left)):
            if isinstance(other, ast.Constant) and other.value is None:
                if not isinstance(by, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
                    raise RuleError("None stands for a missing value: “is None” or “is not None”")
                missing = pd.isna(self.value(one))
                return ~missing if negative else missing
        if isinstance(by, ast.Is | ast.IsNot):
            raise RuleError("“is” is for missing values: “is None”; to compare, write ==")
        one, other = _alike(self.value(left), self.value(right), _text(left), _text(right))
        found = np.asarray(_COMPARISONS[type(by)](one, other), dtype=bool)
        missing = pd.isna(one) | pd.isna(other)
        return np.where(missing, negative, found)

    def _inside(self, left: ast.AST, right: ast.AST) -> Any:
        """`column in ["a", "b"]`, or `"word" in column`."""
        if isinstance(right, ast.List | ast.Tuple | ast.Set):
            if not right.elts:
                return np.zeros(_length(self._columns), dtype=bool)
            equal = ast.Eq()
            return np.logical_or.reduce([self._compared(left, equal, each) for each in right.elts])
        word, texts = self.value(left), self.value(right)
        if not isinstance(word, str) or not _is_text(texts):
            raise RuleError(
                f'“{_text(left)} in {_text(right)}”: write \'column in ["one", "two"]\', or \'"word" in column\''
            )
        return np.fromiter((isinstance(text, str) and word in text for text in np.atleast_1d(texts)), dtype=bool)


def _constant(value: object) -> Any:
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        # As a number of numpy: Python's whole numbers may grow without end.
        return np.float64(value) if abs(value) < 1e308 else np.float64(np.inf)
    raise RuleError(f"{value!r:.40} is neither a number nor a text")


def _values(column: Any) -> NDArray:
    """A column as an array of numbers, truth values, dates or texts; missing texts are None."""
    values: Any = pd.Series(column) if not isinstance(column, np.ndarray | pd.Series) else column
    if isinstance(values, pd.Series):
        if isinstance(values.dtype, pd.CategoricalDtype):
            values = values.astype(object)
        elif values.dtype.kind in "iuf" and pd.api.types.is_extension_array_dtype(values.dtype):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        elif pd.api.types.is_bool_dtype(values.dtype):
            values = values.to_numpy(dtype=bool, na_value=False)
        elif isinstance(values.dtype, pd.DatetimeTZDtype):
            values = values.dt.tz_convert(None).to_numpy()
        else:
            values = values.to_numpy()
    if values.dtype.kind in "fiubM":
        return np.asarray(values)
    return np.array([None if value is None or value is pd.NA or value != value else value for value in values], object)


def _alike(one: Any, other: Any, left: str, right: str) -> tuple[Any, Any]:
    """Both sides of a comparison as things that can be compared."""
    kinds = _kind(one), _kind(other)
    if "date" in kinds and "text" in kinds:
        return (one, _date(other)) if kinds[0] == "date" else (_date(one), other)
    if kinds[0] != kinds[1]:
        numbers = [side if kind == "text" else None for side, kind in zip((one, other), kinds)]
        literal = next((side for side in numbers if isinstance(side, str)), None)
        hint = f": write it without quotes, {literal}" if literal is not None and _is_numeric(literal) else ""
        raise RuleError(f"“{left}” is a {kinds[0]} and “{right}” a {kinds[1]}{hint}")
    if kinds[0] == "text":
        return _as_texts(one), _as_texts(other)
    return one, other


def _kind(value: Any) -> str:
    kind = np.asarray(value).dtype.kind
    return "date" if kind == "M" else "text" if kind in "OUS" else "number"


def _date(text: Any) -> Any:
    """A date as tables have it too: with points the day comes first."""
    read = read_column(pd.Series([str(text)]))
    if read is not None and read.values.dtype.kind == "M":
        if read.notes:
            raise RuleError(f"“{_short(str(text))}” could be read in two ways; write the date as 2024-12-31")
        return read.values.to_numpy()[0]
    try:
        return np.datetime64(pd.Timestamp(text))
    except (ValueError, TypeError):
        raise RuleError(f"“{_short(str(text))}” is no date; write it as 2024-12-31") from None


def _as_texts(value: Any) -> Any:
    """Texts that can be compared with one another; a missing one is empty, and told apart before."""
    if isinstance(value, str):
        return value
    return np.array(["" if each is None else str(each) for each in value], dtype=object)


def _is_numeric(text: str) -> bool:
    return bool(pd.notna(pd.to_numeric(text, errors="coerce")))


def _is_mask(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "b"


def _is_text(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "OUS"


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()))) if columns else 0


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", str(name)).strip("_").casefold()


def _text(node: ast.AST) -> str:
    return _short(ast.unparse(node))


def _short(words: str) -> str:
    return shortened(words, 60)
