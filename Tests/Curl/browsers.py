"""Requests as browsers copy them for the clipboard: for bash and for cmd of Windows, today and in earlier years."""

import re

AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "Safari/537.36")
BRANDS = '"Not)A;Brand";v="8", "Chromium";v="138", "Google Chrome";v="138"'
COMMON = [
    ("accept", "*/*"), ("accept-language", "en-US,en;q=0.9,de;q=0.8"), ("priority", "u=1, i"),
    ("sec-ch-ua", BRANDS), ("sec-ch-ua-mobile", "?0"), ("sec-ch-ua-platform", '"Windows"'),
    ("sec-fetch-dest", "empty"), ("sec-fetch-mode", "cors"), ("sec-fetch-site", "same-origin"),
    ("user-agent", AGENT),
]
FORM = ("content-type", "application/x-www-form-urlencoded; charset=UTF-8")
JSON = ("content-type", "application/json")
BOUNDARY = "----WebKitFormBoundaryq1W2e3R4t5Y6u7I8"
PARTS = "\r\n".join([
    f"--{BOUNDARY}", 'Content-Disposition: form-data; name="note"', "", "50% of it's & <b>", f"--{BOUNDARY}",
    'Content-Disposition: form-data; name="file"; filename="a b.txt"', "Content-Type: text/plain", "", "",
    f"--{BOUNDARY}--", ""])

# (name, method, URL, fields besides the common ones, cookies, content)
REQUESTS = [
    ("page", "GET", "https://shop.example/list?page=2&sort=name", [], "", None),
    ("brackets", "GET", "https://shop.example/items?ids[]=1&ids[]=2&at=%5B1%5D", [], "", None),
    ("address", "GET", "https://[2001:db8::1]/a?q=100%25", [], "", None),
    ("escapes", "GET", "https://shop.example/search?q=caf%C3%A9%20%26%20bar&t=%22x%22#top", [], "", None),
    ("tag", "GET", "https://api.shop.example/v1/items/7", [
        ("if-none-match", 'W/"171-5Eeu0pld"'), ("x-empty", ""), ("x-odd", "a^b|c<d>e!f`g~h@i$j"),
    ], "", None),
    ("cookies", "GET", "https://shop.example/me", [],
     'sid=abc.DEF-1_2; theme=%7B%22dark%22%3A1%7D; q="x y"; n=1|2^3&4; p=50%; e=$HOME!!', None),
    ("json", "POST", "https://api.shop.example/v1/orders", [JSON, ("origin", "https://shop.example")], "sid=1",
     '{"name":"it\'s \\"5\\" \\\\ 6","n":[1,2,{}],"percent":"100%","path":"%PATH%","env":"$HOME !x `y`"}'),
    ("form", "POST", "https://shop.example/login", [FORM], "", "user=ada%40shop.example&pw=p%25w%26x&x=%PATH%&n=%0A"),
    ("parts", "POST", "https://shop.example/upload",
     [("content-type", f"multipart/form-data; boundary={BOUNDARY}")], "", PARTS),
    ("query", "POST", "https://api.shop.example/graphql", [JSON], "",
     '{"query":"query {\\n  a(id: \\"1\\") {\\n    b\\n  }\\n}","variables":{}}'),
    ("lines", "POST", "https://api.shop.example/text", [("content-type", "text/plain;charset=UTF-8")], "",
     "one\n\ttwo ^three^\n\n\"four\"\\\n"),
    ("unicode", "POST", "https://api.shop.example/names", [JSON], "", '{"name":"Zoë 北京 😀"}'),
    ("put", "PUT", "https://api.shop.example/v1/items/7", [JSON], "", '{"a":1}'),
    ("delete", "DELETE", "https://api.shop.example/v1/items/7", [("x-csrf-token", "t==")], "", None),
    ("nothing", "POST", "https://api.shop.example/v1/items/7/touch", [("content-length", "0")], "", None),
    ("options", "OPTIONS", "https://api.shop.example/v1/items", [("access-control-request-method", "PUT")], "", None),
]


def ansi(text, pattern, escape):
    """A word for bash: in single quotes, or in those of ANSI C when something has to be escaped."""
    if not re.search(pattern + "|'", text):
        return f"'{text}'"
    for plain, written in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, written)
    return "$'" + "".join(escape(unit) if re.match(pattern, unit) else unit for unit in text) + "'"


def units(character):
    """The UTF-16 units of a character."""
    code = ord(character)
    return [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF)]


def chrome_bash(text):
    return ansi(text, r"[\0-\x1f\x7f-\x9f!]", lambda unit: f"\\u{ord(unit):04x}")


def firefox_bash(text):
    return ansi(text, r"[^\x20-\x7e]|!", lambda character: "".join(
        f"\\x{unit:02x}" if unit < 256 else f"\\u{unit:04x}" for unit in units(character)))


PLAIN = r"[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]"


def carets(text):
    """What is special to cmd, behind carets. A percent sign does not begin the name of a variable."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return re.sub(r"%(?=[a-zA-Z0-9_])", "%^", re.sub(PLAIN, r"^\g<0>", text))


def chrome_cmd(text):
    text = re.sub(r"[^ -~\t\r\n]", " ", carets(text))
    return '^"' + re.sub(r"\r?\n", "^\n\n", text) + '^"'


def chrome_cmd_of_2021(text):
    """Between plain quotes carets are text to cmd; that line failed there, but it says what is meant."""
    quote = '^"' if re.search(r"[\r\n]", text) else '"'
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    text = re.sub(PLAIN.replace("*`", "*`&"), r"^\g<0>", text)
    text = re.sub(r"%(?=[a-zA-Z0-9_])", "%^", text)
    return quote + re.sub(r"\r?\n", "^\n\n", text) + quote


def firefox_cmd(text):
    return '^"' + re.sub(r"\r?\n", "^\r\n\r\n", carets(text)) + '^"'


def firefox_cmd_of_2019(text):
    text = text.replace("\\", "\\\\").replace('"', '""').replace("%", '"%"')
    return '"' + re.sub(r"\r?\n", '"^\r\n\r\n"', text) + '"'


def words(request, browser):
    """The words of the command: (option, value)."""
    name, method, url, fields, cookies, content = request
    fields = COMMON + fields
    found = [("", url)]
    implied = "POST" if content is not None else "GET"
    if browser.startswith("firefox"):
        found.append(("--compressed", None))
    if method != implied:
        found.append(("-X", method))
    for field, value in fields:
        if field == "content-length" and content is not None:
            continue
        found.append(("-H", f"{field}: {value}" if value.strip() else f"{field};"))
    if cookies:
        found.append(("-b", cookies) if browser == "chrome" else ("-H", f"cookie: {cookies}"))
    if content is not None:
        found.append(("--data-binary" if browser == "safari" else "--data-raw", content))
    if browser in ("chrome of 2021", "safari"):
        found.append(("--compressed", None))
    return found


def line(words, quote, joint):
    """The command line."""
    parts = [option if value is None else f"{option} {quote(value)}".strip() for option, value in words]
    # Chrome escapes what curl would take for patterns.
    if quote in (chrome_bash, chrome_cmd, chrome_cmd_of_2021):
        parts[0] = re.sub(r"[\[{}\]]", r"\\\g<0>", parts[0])
    return "curl " + joint.join(parts)


# name: (browser, quote, joint); those for cmd follow the one for bash with the same words.
FORMS = [
    ("chrome", [("bash", chrome_bash, " \\\n  "), ("cmd", chrome_cmd, " ^\n  ")]),
    ("chrome of 2021", [("bash", chrome_bash, " \\\n  "), ("cmd", chrome_cmd_of_2021, " ^\n  ")]),
    ("firefox", [
        ("bash", firefox_bash, " \\\n  "), ("cmd", firefox_cmd, " ^\r\n  "), ("cmd of 2019", firefox_cmd_of_2019, " "),
    ]),
    ("safari", [("bash", chrome_bash, " \\\n")]),
]


def as_received(text, quote):
    """What curl gets of a text behind cmd: backslashes stay doubled but before a quote, which browsers do not consider,
    and Chrome writes a blank for each UTF-16 unit beyond ASCII."""
    # A quote of its own stands before percent signs and line ends in 2019.
    quotes = r"\\\"" + ("%\n" if quote is firefox_cmd_of_2019 else "")
    text = re.sub(rf"\\+(?![{quotes}])(?!\Z)", r"\g<0>\g<0>", text.replace("\r\n", "\n"))
    return re.sub(r"[^ -~\n\t]", " ", text) if quote is chrome_cmd else text


def lines():
    """All of them: (name, line for the reader, line for bash with the same words)."""
    for browser, forms in FORMS:
        for request in REQUESTS:
            found = words(request, browser)
            for form, quote, joint in forms:
                model = found
                if form != "bash":
                    model = [(option, value and as_received(value, quote)) for option, value in found]
                yield f"{browser}, {form}: {request[0]}", line(found, quote, joint), line(model, chrome_bash, " ")


# What differs from curl with the same words, and why.
DIFFERENT = {
    "chrome of 2021, cmd: parts":
        "refused: Expected a curl command — an & outside of quotes ends the command in cmd, too",
    "firefox, bash: unicode":
        "differs: content, content-length — two halves of a character are one; bash sends each, which is no UTF-8",
}
