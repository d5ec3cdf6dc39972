"""Calls every HTTP case of curl's own tests on curl's test server, with this server and with curl, and compares.

python sws.py URL CURL_SOURCE [FIRST LAST]

CURL_SOURCE is a built source tree with `tests/server/sws` and `tests/data`. What curl refuses must not be a success, and
what both accept must have the same status and the same content.
"""

import base64
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SERVER, SOURCE = sys.argv[1], os.path.abspath(sys.argv[2])
FIRST, LAST = (int(number) for number in sys.argv[3:5]) if len(sys.argv) > 3 else (1, 9999)
# The limit of a call; the second one is for a case that differs, since a loaded machine may have been too slow.
SECONDS = (2, 10)
# Cases that end otherwise here than with curl, with the reason.
KEPT = {
    22: "a URL has at most 8 KiB",
    43: "a redirect is followed when its content has ended, and this one never does",
    54: "an empty Location is the same URL again (RFC 3986), so that the call goes in a circle; curl ignores it",
    393: "a length of more than 64 bits is no length",
    395: "a length of more than 64 bits is no length",
    1104: "a redirect is followed when its content has ended, and this one never does",
    1539: "a head without an empty line at its end is cut off",
    1591: "a head without an empty line at its end is cut off",
}


def expanded(text, number, port):
    """A case as runtests.pl hands it to the server: conditions, variables, and line ends."""
    words = {"HOSTIP": "127.0.0.1", "HTTPPORT": str(port), "TESTNUMBER": str(number), "VERSION": "7.88.1", "HOST": "127.0.0.1"}
    lines, taken = [], [True]
    for line in text.split(b"\n"):
        condition = re.match(rb"%if (!?)(\S+)", line)
        if condition:
            # Of the features that cases ask for, none is here.
            taken.append(taken[-1] and condition[1] == b"!")
        elif line.startswith(b"%else"):
            taken[-1] = taken[-2] and not taken[-1]
        elif line.startswith(b"%endif"):
            taken.pop()
        elif taken[-1]:
            lines.append(line)
    text = b"\n".join(lines)
    for name, value in words.items():
        text = text.replace(b"%" + name.encode(), value.encode())
    text = re.sub(rb"%b64\[(.*?)\]b64%", lambda found: base64.b64encode(unescaped(found[1])), text, flags=re.S)
    text = re.sub(rb"%hex\[(.*?)\]hex%", lambda found: unescaped(found[1]), text, flags=re.S)
    text = re.sub(rb"%repeat\[(\d+) x (.*?)\]%", lambda found: int(found[1]) * unescaped(found[2]), text, flags=re.S)
    return re.sub(rb'(<\w+[^>]*crlf="yes"[^>]*>\n)(.*?)(?=</)', lambda found: found[1] + with_ends(found[2]), text, flags=re.S)


def unescaped(text):
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes([int(found[1], 16)]), text)


def with_ends(text):
    """The heads in it with CR LF."""
    output, in_head = [], False
    for line in text.split(b"\n"):
        if line.startswith(b"HTTP/"):
            in_head = True
        output.append(line + b"\r" if in_head and not line.endswith(b"\r") else line)
        if not line:
            in_head = False
    return b"\n".join(output)


def written(text, number, port):
    """Puts a case where the server looks for it."""
    with open(f"log/test{number}", "wb") as file:
        file.write(expanded(text, number, port))


def section(text, name):
    found = re.search(rb"<%s[^>]*>\n(.*?)</%s>" % (name, name), text, re.S)
    return found[1] if found else b""


def by_curl(url, follow, seconds):
    """Status and content; None when curl refuses the answer."""
    flags = ["--location", "--max-redirs", "5"] if follow else []
    line = ["curl", "--silent", "--compressed", "--max-time", str(seconds), "--write-out", "%{stderr}%{http_code}", *flags, url]
    ended = subprocess.run(line, capture_output=True, check=False)
    return None if ended.returncode else (int(ended.stderr), ended.stdout)


def ask(path, value=None, **fields):
    data = json.dumps(value).encode() if value is not None else None
    request = urllib.request.Request(SERVER + path, data, fields)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def by_server(url, follow, seconds):
    """Status and content; the code of the error when the call fails."""
    spec = {"type": "network", "request": {"url": url, "redirects": 5 if follow else 0}, "retry": {"max_attempts": 1}}
    spec |= {"timeouts": {"total": f"{seconds}s"}, "expect": {"status": ["2xx", "3xx", "4xx", "5xx"]}}
    status, content = ask("/v1/jobs", spec, **{"Content-Type": "application/json", "Prefer": f"wait={seconds + 20}"})
    job = json.loads(content)
    if status >= 300:
        return job["code"]
    if job["state"] != "succeeded":
        return job["error"]["code"] if job.get("error") else job["state"]
    return job["result"]["status"], ask(f"/v1/jobs/{job['id']}/result")[1]


def main():
    os.makedirs("log", exist_ok=True)
    server = subprocess.Popen(
        [SOURCE + "/tests/server/sws", "--ipv4", "--port", "0", "--portfile", "port", "--pidfile", "pid", "--logfile", "log/sws.log",
         "--srcdir", SOURCE + "/tests"])
    try:
        while not (os.path.exists("port") and open("port").read().strip()):
            time.sleep(0.05)
        compare(int(open("port").read()))
    finally:
        server.terminate()
        server.wait()


def compare(port):
    written(open(f"{SOURCE}/tests/data/test1", "rb").read(), 1, port)
    counts, differences = {"same": 0, "both refuse": 0, "stricter": 0}, {}
    names = sorted(os.listdir(SOURCE + "/tests/data"), key=lambda name: (len(name), name))
    for name in names:
        number = int(name[4:]) if re.fullmatch(r"test\d+", name) else 0
        if not FIRST <= number <= LAST:
            continue
        text = open(f"{SOURCE}/tests/data/{name}", "rb").read()
        # Cases of HTTP alone, whose answer depends on nothing but their number.
        command = section(text, b"command").decode("latin-1")
        place = re.search(r"%HOSTIP:%HTTPPORT(/[^\s\"'<>\\]*)", command)
        if section(text, b"server").split() != [b"http"] or not place or not re.search(r"%TESTNUMBER|\d", place[1]):
            continue
        path = place[1].replace("%TESTNUMBER", str(number))
        if re.search(r"[%{}\[\]#]", path):
            continue
        written(text, number, port)
        follow = bool(re.search(r"(^|\s)(-L|--location)\b", command))
        # An origin of its own for each case, which no pause or breaker of another one holds back. What was asked before
        # decides about the answer in some cases: the same one for both.
        origin = f"http://127.{number // 250}.{number % 250}.1:{port}"
        for seconds in SECONDS:
            by_curl(origin + "/1", False, seconds)
            theirs = by_curl(origin + path, follow, seconds)
            by_curl(origin + "/1", False, seconds)
            ours = by_server(origin + path, follow, seconds)
            if ours == theirs or theirs is None and isinstance(ours, str):
                break
        if isinstance(ours, tuple) and ours == theirs:
            counts["same"] += 1
        elif isinstance(ours, str):
            counts["both refuse" if theirs is None else "stricter"] += 1
            if theirs is not None:
                differences[number] = f"refused with {ours}; curl has {theirs[0]} and {len(theirs[1])} bytes"
        else:
            shown = "refuses" if theirs is None else f"has {theirs[0]} and {theirs[1][:60]!r}"
            differences[number] = f"has {ours[0]} and {ours[1][:60]!r}; curl {shown}"
    print(f"{sum(counts.values()) + len(differences) - counts['stricter']} cases: {counts}")
    new = {number: text for number, text in differences.items() if number not in KEPT}
    for number, text in sorted(new.items()):
        print(f"test {number}: {text}")
    for number in set(KEPT) - set(differences):
        if FIRST <= number <= LAST:
            print(f"test {number} is the same now: leave it out of KEPT")
    sys.exit(1 if new else 0)


os.chdir(tempfile.mkdtemp(prefix="sws."))
main()
