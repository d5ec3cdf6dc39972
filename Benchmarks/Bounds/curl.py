"""Curl lines that grow: each option that the server knows, repeated and with long values, and near misses of its name."""
import re

from .contract import ROOT, Case

URL = "http://127.0.0.1:9/a"
#: Values that each option gets.
VALUES = {"text": "ab", "field": "X-A: b", "pair": "a=b", "file": "@a", "number": "1"}
#: A value that is long: with the byte that is repeated.
LONG = {"text": "a", "field": "X-A: ", "pair": "a=", "blanks": " ", "list": "a;", "marks": "%41\\u00e9{,"}


def options():
    """Names with whether a value follows, as the server's own table has them."""
    with open(f"{ROOT}/Sources/JobSpec/CurlLine/CurlFlag.swift") as file:
        text = file.read()
    found = re.findall(r'[(](?:"(.)"|nil), "([a-z0-9.-]+)"(?:, (true|false))?', text)
    return {name: (letter, value == "true") for letter, name, value in found}


def line(words):
    return f"curl {URL} {words}".encode()


def cases():
    found = []

    def add(name, make):
        case = Case(f"curl {name}", "POST", "/v1/jobs?validate_only=true", 1 << 20, make)
        case.kind = "text/x-shellscript"
        found.append(case)

    for name, (letter, takes_value) in options().items():
        flag = f"--{name}"
        if not takes_value:
            add(f"{flag}: again and again", lambda n, flag=flag: line(f"{flag} " * n))
            continue
        for kind, value in VALUES.items():
            add(f"{flag} {kind}: again and again", lambda n, flag=flag, value=value: line(f"{flag} '{value}' " * n))
        add(f"{flag}: different ones", lambda n, flag=flag: line(" ".join(f"{flag} 'X-{i}: {i}'" for i in range(n))))
        for kind, piece in LONG.items():
            head = {"field": "X-A: ", "pair": "a="}.get(kind, "")
            add(f"{flag}: long, {kind}", lambda n, flag=flag, head=head, piece=piece: line(f"{flag} '{head}{piece * n}'"))
        if letter:
            add(f"-{letter}: joined", lambda n, letter=letter: line(f"-{letter}a=b " * n))
    add("near misses of names", lambda n: line(" ".join(f"--heade{i}" for i in range(n))))
    add("unknown letters", lambda n: line("-" + "?" * n))
    add("many letters", lambda n: line("-" + "s" * n))
    add("URLs", lambda n: line(" ".join(f"{URL}{i}" for i in range(n))))
    add("a long URL", lambda n: line(URL + "a" * n))
    add("a URL with sets", lambda n: line("'" + URL + "{a,b}" * n + "'"))
    add("a URL with ranges", lambda n: line("'" + URL + "[1-9]" * n + "'"))
    add("lines", lambda n: b"\n".join([line("-s")] * max(n, 1)))
    add("lines with errors", lambda n: b"\n".join([line("--wrong")] * max(n, 1)))
    add("parts after --next", lambda n: line(f"--next {URL} " * n))
    add("comments", lambda n: line("-s\n" + "# a comment\n" * n))
    add("line ends behind a backslash", lambda n: line("-s \\\n" * n))
    add("variables", lambda n: line("$HOME `a` | > " * n))
    add("open quote", lambda n: line("'" + "a" * n))
    add("quotes in turn", lambda n: line("-d " + "'a'\"b\"" * n))
    add("escapes", lambda n: line("-d $'" + "\\u00e9\\x41\\n" * n + "'"))
    add("bytes that are no text", lambda n: line("-H ") + b"'" + b"\xff" * n + b"'")
    return found
