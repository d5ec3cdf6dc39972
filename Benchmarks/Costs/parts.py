"""The parts of the work of a job, told from the functions that begin them."""
import collections
import re
import subprocess

from .profile import Profile, module_of

#: In the order of a job.
PARTS = ["receive", "read the spec", "write", "claim", "build", "run", "call", "record", "commit", "tell", "read rows",
         "answer", "loops", "other threads"]

#: What a thread is, from a function that only it calls.
ROLES = [("http", re.compile(r"HTTPConnection\.")), ("writer", re.compile(r"StoreWriter\.|PostgresWriter|WriterLoop")),
         ("engine", re.compile(r"JobRunner\.|OperationCore\.")), ("reader", re.compile(r"ReaderSession|JobReader"))]

#: By role: a part, and the functions that begin it, written as Swift code; the first that fits counts. What they call
#: belongs to the part, too, until another one begins.
BEGINNINGS = {
    "http": [
        ("answer", r"JobBody|ResultBody|Body\.append|ListBody|RequestContext\.answer|HTTPExchange\.(respond|answer)"
                   r"|HTTPResponseWriter|LoopDoor\.finish|\.accepted\(|HTTPConnection\.(write|flush)|OutputQueue|JobWait"),
        ("read the spec", r"JobSpecReader|JobIntake|OperationReader|SpecReader"),
    ],
    "writer": [
        ("write", r"\.submit\(|WriterSession\.insert|\.insert\(|JobInsert"),
        ("claim", r"\.claim\(|LineDispatch|JobTable\.(ready|due)|\.claims\("),
        ("record", r"WriterSession\.(update|save|finish)|JobStore\.update|\.update\("),
        ("tell", r"\.publish\("),
        ("commit", r"\.commit\(|\.begin\(|StoreWriter\."),
    ],
    "engine": [
        ("call", r"NetworkOperation|CallDispatch|NetworkSpec|Transport|CallCredentials"),
        ("record", r"RunJournal|JournalOutbox|RunHost\.store|JobRun\.(ended|settle|finish)|JobOutcome|\.update\("),
        ("claim", r"JobRunner\.(claim|take)"),
        ("build", r"JobRun\.startTree|JobRunner\.begin|SpecCompiler|StoredSpec|JobTree\.init|\.recipe\("),
    ],
    "reader": [("answer", r"Body\b|Body\.|Bodies"), ("read rows", r"ReaderSession|JobReader|SQLiteStatement|PageQuery")],
}
#: By role: the part that a module is, where no function above says more.
MODULES = {
    "http": {"JobSpec": "read the spec", "JobKit": "read the spec", "StrictJSON": None, "EventIO": "receive",
             "HTTPMessage": "receive", "JobServer": "receive"},
    "writer": {}, "reader": {},
    "engine": {"JobSpec": "build", "JobJournal": "build", "JobKit": "run", "CurlHTTP": "call", "JobHTTP": "call",
               "JobRunner": "run", "EventIO": "loops"},
}


def demangled(names):
    """Swift names as code, by mangled name."""
    ordered = sorted(names)
    done = subprocess.run(["swift-demangle", "-simplified"], input="\n".join(ordered), capture_output=True, text=True,
                          check=True)
    return dict(zip(ordered, done.stdout.split("\n")))


class Parts:
    """Sorts the instructions of a server's threads. Names are demangled once."""

    def __init__(self):
        self.code = {}

    def of(self, paths):
        """Instructions by part, of the profiles of all threads."""
        found = collections.Counter()
        for path in paths:
            profile = Profile.read(path)
            found.update(self.of_thread(profile))
        return found

    def of_thread(self, profile):
        names = set(profile.own) | set(profile.calls)
        fresh = {name for name in names if name not in self.code and module_of(name)}
        if fresh:
            self.code.update(demangled(fresh))
        role = self.role(names)
        if role is None:
            return {"other threads": profile.total}
        known = {}
        shares = profile.shares(lambda name, _: known.setdefault(name, self.part(role, name)))
        return {part if part != "rest" else "loops": cost for part, cost in shares.items()}

    def role(self, names):
        texts = [self.code[name] for name in names if name in self.code]
        for role, pattern in ROLES:
            if any(pattern.search(text) for text in texts):
                return role
        return None

    def part(self, role, name):
        module = module_of(name)
        if module is None:
            return None
        text = self.code.get(name, name)
        for part, pattern in BEGINNINGS[role]:
            if re.search(pattern, text):
                return part
        if re.search(r"EventLoop\.|LoopEvent\.", text):
            return "loops"
        return MODULES[role].get(module)
