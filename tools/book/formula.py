# SPDX-License-Identifier: Apache-2.0
"""Formulas of THEORY.md as MathML: `F = F_stat(u) + k y^2/2` becomes what a book prints. Browsers draw MathML themselves, so that the book
needs no script and no network. What is no formula (names of files, of functions, flags) stays code: is_formula decides."""
import html
import re

GREEK = {name: chr(code) for name, code in zip(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho".split(), range(0x3B1, 0x3C2))}
GREEK |= {"sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
          "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "inf": "∞", "infinity": "∞"}
BIG = {"integral": "∫", "int": "∫", "sum": "∑", "prod": "∏"}
FUNCTIONS = set("exp ln log log10 sin cos tan tanh sinh cosh asin acos atan arg max min Re Im tr det diag sign conj abs sinc rms erf vect skew".split())
OPERATORS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "...": "…", "*": "·", "-": "−", "+-": "±", "-+": "∓", ">>": "≫", "<<": "≪"}
ACCENTS = {"dot": "˙", "hat": "^", "tilde": "~"}
CALL = "call"
CLOSING = {"(": ")", "[": "]", "{": "}"}
TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z]+\d*|<=|>=|!=|->|\.\.\.|\+-|-\+|<<|>>|[-+*/^_=<>|~.,:;!'()\[\]{}])")
NAME = re.compile(r"([A-Za-z]+)(\d*)$")


class NoFormula(ValueError):
    pass


def is_formula(text):
    """Whether the text of a code span is meant as mathematics."""
    if re.search(r'["$#@&%?\\]|::|\.(hpp|cpp|md|json|csv|py)|--|https?|kdyn', text):
        return False
    if re.search(r"[A-Za-z]{3,}_[a-z]{2,}", text) and not re.search(r"\b(sum|int|integral|prod)_", text):
        return any(name in text for name in GREEK) and "=" in text
    words = re.findall(r"[A-Za-z]{4,}", re.sub(r"(?<=[A-Za-z0-9])_[A-Za-z0-9]+", "", text))
    plain = [w for w in words if w not in GREEK and w not in BIG and w not in FUNCTIONS and w != "sqrt" and not w.endswith("dot")]
    return len(plain) <= len(re.findall(r"[=+*/^]", text))


def tokens(text):
    out, at = [], 0
    text = re.sub(r"\b([A-Za-z]+)\^(?=[\s,]|$)", r"\1hat", text.rstrip())
    text = re.sub(r"\b([A-Za-z]+)~", r"\1tilde", text)
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise NoFormula(text)
        if found.group(1) == "(" and out and found.start(1) == found.start() and re.fullmatch(r"[A-Za-z]+\d*|'", out[-1]):
            out.append(CALL)  # f(x), against a product k (x + y)
        out.append(found.group(1))
        at = found.end()
    return out


def tag(name, *inside, **attributes):
    words = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{words}>{''.join(inside)}</{name}>"


def row(items):
    return items[0] if len(items) == 1 else tag("mrow", *items)


def operator(item):
    """A sign between factors, or a sum or integral, which stands before them."""
    return item.startswith("<mo") and not item.startswith("<mover accent") or bool(re.match(r"<(munder|munderover|msubsup|msub)><mo>", item))


def letter(name):
    if name in GREEK:
        return tag("mi", GREEK[name])
    if name in FUNCTIONS:
        return tag("mi", name.replace("log10", "log₁₀"), mathvariant="normal")
    for ending, mark in ACCENTS.items():
        if len(name) > len(ending) and name.endswith(ending):
            return tag("mover", letter(name[:-len(ending)]), tag("mo", mark), accent="true")
    return tag("mi", html.escape(name))


class Reader:
    def __init__(self, text):
        self.words, self.at = tokens(text), 0

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else None

    def take(self):
        word = self.peek()
        if word is None:
            raise NoFormula("ends early")
        self.at += 1
        return word

    def sequence(self, end=None):
        items = []
        while self.peek() != end:
            word = self.peek()
            if word is None:
                raise NoFormula("a bracket is not closed")
            if word in (")", "]", "}"):
                raise NoFormula("a bracket too many")
            if word == "/" and items and not operator(items[-1]):
                self.take()
                # The product before it: lambda alpha/b, but not the sign of a sum.
                first = len(items)
                while first > 0 and not operator(items[first - 1]):
                    first -= 1
                above, below = items[first:], self.factor()
                items[first:] = [tag("mfrac", self.bare(row(above)), self.bare(below))]
            elif word in "+-*=<>~.,:;/'" or word in OPERATORS:
                self.take()
                items.append(tag("mo", html.escape(OPERATORS.get(word, word))))
            else:
                items.append(self.factor())
        return items

    @staticmethod
    def bare(item):
        """Without its outer brackets: a fraction and an exponent need none."""
        return re.sub(r'^<mrow class="b"><mo>\(</mo>(.*)<mo>\)</mo></mrow>$', lambda m: tag("mrow", m.group(1)), item)

    def group(self):
        opening = self.take()
        inside = self.sequence(CLOSING[opening])
        self.take()
        return tag("mrow", tag("mo", opening), *inside, tag("mo", CLOSING[opening]), **{"class": "b"})

    def script(self):
        sign = [tag("mo", "−")] if self.peek() == "-" and self.take() else []
        if self.peek() in CLOSING:
            return row(sign + [re.sub(r'^<mrow class="b"><mo>[({]</mo>(.*)<mo>[)}]</mo></mrow>$', lambda m: tag("mrow", m.group(1)), self.group())])
        word = self.take()
        if word in "+*":
            return tag("mo", word)
        return row(sign + [self.number_or_name(word)])

    def number_or_name(self, word):
        if word[0].isdigit():
            return tag("mn", word)
        found = NAME.match(word)
        if not found:
            raise NoFormula(word)
        name, digits = found.groups()
        if digits and not (name == "log" and digits == "10"):
            return tag("msub", letter(name), tag("mn", digits))
        return letter(word)

    def factor(self):
        item = self.powers()
        function = item.startswith('<mi mathvariant="normal">') or item.startswith('<msup><mi mathvariant="normal">')
        if self.peek() == CALL:
            self.take()
            item = tag("mrow", item, self.powers())
        elif function and self.peek() is not None and re.match(r"[A-Za-z0-9(]", self.peek()):
            item = tag("mrow", item, self.powers())  # sin x
        while self.peek() == "!":
            self.take()
            item = tag("mrow", item, tag("mo", "!"))
        return item

    def powers(self):
        word = self.peek()
        if word in CLOSING:
            base = self.group()
        elif word == "|":
            self.take()
            inside = self.sequence("|")
            self.take()
            base = tag("mrow", tag("mo", "|"), *inside, tag("mo", "|"))
        else:
            self.take()
            if word == "sqrt" and self.peek() == CALL:
                self.take()
                base = tag("msqrt", re.sub(r'^<mrow class="b"><mo>\(</mo>(.*)<mo>\)</mo></mrow>$', lambda m: m.group(1), self.group()))
            elif word in BIG:
                base = tag("mo", BIG[word])
            else:
                base = self.number_or_name(word)
        below = above = None
        primes = ""
        while self.peek() in ("_", "^", "'"):
            mark = self.take()
            if mark == "'":
                primes += "′"
            elif mark == "_":
                below = self.script()
            else:
                above = self.script()
        if primes:
            above = row([tag("mo", primes)] + ([above] if above else []))
        if below and above:
            return tag("munderover" if word in ("sum", "prod") else "msubsup", base, below, above)
        if below:
            return tag("munder" if word in ("sum", "prod") else "msub", base, below)
        return tag("msup", base, above) if above else base


def mathml(text):
    """Raises NoFormula where the text is none."""
    reader = Reader(text)
    items = reader.sequence(None)
    return tag("math", tag("mrow", *items))


def shown(text):
    """A code span as HTML: mathematics where it is meant, code otherwise."""
    try:
        if is_formula(text):
            return mathml(text)
    except NoFormula:
        pass
    return tag("code", html.escape(text))
