# SPDX-License-Identifier: BSD-2-Clause
"""Makes mutants of a C file that clang-format has formatted: each has one small change.

It goes by the structure of the text alone: a mutant is named by its function, the text of its line
and the change, so that a rename elsewhere or a line that moves changes nothing.
"""
import collections
import hashlib
import re

Mutant = collections.namedtuple("Mutant", "path line function change text key")
Token = collections.namedtuple("Token", "text start end")

TOKENS = re.compile(r"""[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|->|\+\+|--|<<=|>>=|\.\.\.|
                        <<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S""", re.X)
HIDDEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FUNCTION = re.compile(r"^[A-Za-z_][^\n]*?\b(\w+)\((?:[^;{}()]|\([^()]*\))*\)\n\{\n(.*?)^\}",
                      re.M | re.S)
CONSTANT = re.compile(r"^#define[ \t]+(\w+)[ \t]+(0[xX][0-9a-fA-F]+|\d+)(?=[uU]?\b)", re.M)
LVALUE = re.compile(r"\**[A-Za-z_]\w*(?:->\w+|\.\w+|\[[^]]*\])*\s*(?:[-+*/%&|^]|<<|>>)?=[^=]|"
                    r"[\w.>\-\[\]]+(?:\+\+|--);|(?:\+\+|--)[\w.>\-\[\]]+;")
CALL = re.compile(r"[A-Za-z_]\w*(?:(?:->|\.)\w+)*\(")
# Calls that only check or print.
LEFT_OUT = re.compile(r"(?:static_assert|_Static_assert|assert|\w*printf|\w*debug\w*|perror)\(")
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "do", "else", "case", "default"}
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
           "||": "&&", "true": "false", "false": "true"}
# Constants with so many digits belong to hashes, which work with any.
LONG_CONSTANT = 10
# The words for a change, if they are clearer than the text that it makes.
WORDS = {"": "deleted `%s`", "(void)0": "deleted `%s`", "!(%s)": "negated `%s`",
         "(%s, true)": "`%s` is always true", "(%s, false)": "`%s` is never true"}
# The tokens that an operand starts and ends at, beside a parenthesis of its own level.
ENDS = {",", ";", "?", ":", "return", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",
        ">>="}


def hide(text):
    """Returns the text with its comments and strings blank, as long as before."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def operand_start(tokens, at, ends):
    """Returns the index of the first token of the operand that ends before @at."""
    depth = 0
    for index in range(at - 1, -1, -1):
        text = tokens[index].text
        depth += (text in ")]}") - (text in "([{")
        if depth < 0 or depth == 0 and text in ends:
            return index + 1
    return 0


def operand_end(tokens, at, ends):
    """Returns the index behind the last token of the operand that starts at @at."""
    depth = 0
    for index in range(at, len(tokens)):
        text = tokens[index].text
        if depth == 0 and text in ends:
            return index
        depth += (text in "([{") - (text in ")]}")
        if depth < 0:
            return index
    return len(tokens)


def is_binary(tokens, at):
    """Tells whether the + or - at @at has an operand before it."""
    before = tokens[at - 1].text
    return re.match(r"[\w)\]]", before) is not None and before not in KEYWORDS


def neighbour(number, step=1):
    digits = re.match(r"0[xX][0-9a-fA-F]+|\d+", number).group()
    base = 16 if digits[:2] in ("0x", "0X") else 10
    value = max(int(digits, base) + step, 0)
    return (hex(value) if base == 16 else str(value)) + number[len(digits):]


def token_changes(tokens):
    """Yields start, end, replacement: of an operator, a constant or an operand."""
    for at, token in enumerate(tokens):
        text = token.text
        if text in SWAPPED:
            yield token.start, token.end, SWAPPED[text]
        elif text in "+-" and is_binary(tokens, at):
            yield token.start, token.end, "-" if text == "+" else "+"
        elif text[0].isdigit() and len(text) < LONG_CONSTANT:
            yield token.start, token.end, neighbour(text)
        if text in ("&&", "||"):
            # "&&" binds more than "||".
            ends = ENDS | {"&&", "||"} if text == "&&" else ENDS | {"||"}
            yield tokens[operand_start(tokens, at, ends)].start, token.end, ""
            yield token.start, tokens[operand_end(tokens, at + 1, ends) - 1].end, ""
        elif text == "?":
            yield tokens[operand_start(tokens, at, ENDS)].start, tokens[at - 1].end, "!(%s)"
        elif text == "if" and tokens[at + 1].text == "(":
            last = operand_end(tokens, at + 2, set()) - 1
            for value in ("true", "false"):
                yield tokens[at + 2].start, tokens[last].end, f"(%s, {value})"


def statements(tokens):
    """Yields the index of the first token of each statement, and of its semicolon."""
    begins = True
    for at, token in enumerate(tokens):
        if begins and token.text not in ("{", "}", ";"):
            end = operand_end(tokens, at, {";", "{", "}", ":"})
            if end < len(tokens) and tokens[end].text == ";":
                yield at, end
        begins = token.text in (";", "{", "}", "else", "do", ":")
        if token.text == ")":
            begins = ends_head(tokens, at)


def ends_head(tokens, at):
    """Tells whether the ")" at @at ends the head of an if, for, while or switch."""
    depth = 0
    for index in range(at, 0, -1):
        depth += (tokens[index].text == ")") - (tokens[index].text == "(")
        if depth == 0:
            return tokens[index - 1].text in ("if", "for", "while", "switch")
    return False


def statement_changes(tokens, shown):
    """Yields start, end, replacement: of statements and initializers to be deleted, of returns."""
    for first, end in statements(tokens):
        text = shown[tokens[first].start:tokens[end].end]
        word = tokens[first].text
        if word == "return" and end > first + 1:
            yield tokens[first + 1].start, tokens[end].start, "!(%s)"
        elif word not in KEYWORDS and (CALL.match(text) or LVALUE.match(text)):
            yield tokens[first].start, tokens[end].start, "(void)0"
    for at, token in enumerate(tokens[:-2]):
        if token.text == "." and tokens[at - 1].text in ("{", ",") and tokens[at + 2].text == "=":
            end = operand_end(tokens, at, {",", "}"})
            yield token.start, tokens[end].end if tokens[end].text == "," else tokens[end].start, ""


def left_out(tokens, shown):
    """Yields the ranges that are not mutated."""
    for first, end in statements(tokens):
        if LEFT_OUT.match(shown, tokens[first].start):
            yield tokens[first].start, tokens[end].end


def changes_in(body, offset, shown):
    """Yields all changes of one function."""
    tokens = [Token(found.group(), found.start() + offset, found.end() + offset)
              for found in TOKENS.finditer(body)]
    ranges = list(left_out(tokens, shown))
    for change in [*token_changes(tokens), *statement_changes(tokens, shown)]:
        if not any(first <= change[0] < last for first, last in ranges):
            yield change


def squeeze(text):
    return " ".join(text.split())


def make(path, source, function, change, seen):
    """Makes a mutant; its key tells equal changes of equal lines of a function by their order."""
    start, end, form = change
    old = source[start:end]
    new = form.replace("%s", old)
    # The lines behind stay where they were.
    lost = old.count("\n") - new.count("\n")
    line = source[source.rfind("\n", 0, start) + 1:source.find("\n", start)]
    what = WORDS.get(form, f"`%s` became `{squeeze(new)}`").replace("%s", squeeze(old))
    name = f"{function}\0{squeeze(line)}\0{what}"
    seen[name] += 1
    digest = hashlib.sha256(f"{name}\0{seen[name]}".encode()).digest()
    return Mutant(path, source.count("\n", 0, start) + 1, function, what,
                  source[:start] + new + "\n" * lost + source[end:],
                  int.from_bytes(digest[:8], "big"))


def mutants_of(path, source):
    """Yields every mutant of a file."""
    shown = hide(source)
    seen = collections.Counter()
    for found in FUNCTION.finditer(shown):
        for change in sorted(set(changes_in(found.group(2), found.start(2), shown))):
            yield make(path, source, found.group(1), change, seen)
    for found in CONSTANT.finditer(shown):
        for step in (1, -1):
            change = (found.start(2), found.end(2), neighbour(found.group(2), step))
            yield make(path, source, found.group(1), change, seen)
