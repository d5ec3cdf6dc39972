"""A profile of callgrind, and which part of the work each instruction belongs to."""
import collections
import re

#: The module in a mangled Swift name: `$s`, the number of letters, the letters.
MODULE = re.compile(r"^(?:block_copy_helper|block_destroy_helper)?\$s(?:t|)(\d+)(\w+)")
#: Rounds of the propagation from callers to callees. Deeper chains of functions without a part of their own are rare.
ROUNDS = 24


class Profile:
    """Instructions by function, and the calls between functions. Of one thread."""

    def __init__(self):
        self.own = collections.Counter()
        #: By callee and caller: the instructions of the callee and all that it called.
        self.calls = collections.defaultdict(collections.Counter)
        self.objects = {}

    @property
    def total(self):
        return sum(self.own.values())

    @classmethod
    def read(cls, path):
        profile, names, objects = cls(), {}, {}
        function = callee = ob = callee_ob = None
        with open(path, errors="replace") as lines:
            for line in lines:
                first = line[0]
                if first in "0123456789+-*":
                    cost = int(line.split()[1])
                    if callee is None:
                        profile.own[function] += cost
                    else:
                        profile.calls[callee][function] += cost
                        callee = None
                elif first == "f" and line.startswith("fn="):
                    function = resolve(names, line[3:-1])
                    profile.objects.setdefault(function, ob)
                elif first == "c" and line.startswith("cfn="):
                    pending = resolve(names, line[4:-1])
                    profile.objects.setdefault(pending, callee_ob or ob)
                    callee_ob = None
                elif line.startswith("calls="):
                    callee = pending
                elif line.startswith("ob="):
                    ob = resolve(objects, line[3:-1])
                elif line.startswith("cob="):
                    callee_ob = resolve(objects, line[4:-1])
        return profile

    def shares(self, part_of):
        """Instructions by part. `part_of(function, object)` is the part of a function, or nothing: the instructions of
        such a function belong to the parts of its callers, by what they spent in it."""
        fixed = {name: part_of(name, self.objects.get(name) or "") for name in self.own.keys() | self.calls.keys()}
        open_names = [name for name, part in fixed.items() if part is None]
        mixed = {name: {} for name in open_names}
        for _ in range(ROUNDS):
            fresh = {}
            for name in open_names:
                weights = collections.Counter()
                for caller, cost in self.calls.get(name, {}).items():
                    if caller == name:
                        continue
                    part = fixed.get(caller)
                    if part is not None:
                        weights[part] += cost
                    else:
                        for part, share in mixed.get(caller, {}).items():
                            weights[part] += cost * share
                whole = sum(weights.values())
                fresh[name] = {part: weight / whole for part, weight in weights.items()} if whole else {}
            mixed = fresh
        found = collections.Counter()
        for name, cost in self.own.items():
            if fixed[name] is not None:
                found[fixed[name]] += cost
            elif mixed[name]:
                for part, share in mixed[name].items():
                    found[part] += cost * share
            else:
                found["rest"] += cost
        return found


def resolve(known, text):
    """Names are written once: `(12) name`, later `(12)`."""
    number, _, name = text.partition(" ")
    if name:
        known[number] = name
    return known.get(number, number)


def module_of(function):
    """The Swift module of a function; nothing for one of the standard library or of C."""
    found = MODULE.match(function)
    return found.group(2)[:int(found.group(1))] if found else None
