"""The table on the screen and the page Benchmarks/RESULTS.md."""
import re
import statistics

from .targets import TARGETS, title

OURS = "jobserver"
NUMBER = r"[-\d.,]*( ×)?"


def shown(value):
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def table(head, rows):
    """A table in Markdown whose columns also line up on a screen."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    align = [">" if all(re.fullmatch(NUMBER, row[i]) for row in rows) else "<" for i in range(len(head))]
    lines = ["| " + " | ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths)) + " |"
             for row in [head, *rows]]
    rule = "|" + "|".join("-" * (width + 1) + (":" if side == ">" else "-") for side, width in zip(align, widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def reached(found, wanted, most):
    return "yes" if (found <= wanted if most else found >= wanted) else "no"


class Results:
    """All figures of a run, by measure and server, one for each repetition."""

    def __init__(self):
        self.found, self.notes, self.limits = {}, [], []

    def add(self, measure, server, figures):
        self.found.setdefault(measure, {}).setdefault(server, []).append(figures)

    def median(self, measure, server, figure="value"):
        if server == "frameworks":
            rates = [self.median(measure, name) for name in self.found.get(measure, {}) if name.startswith("framework ")]
            return max(filter(None, rates), default=None)
        values = [one[figure] for one in self.found.get(measure, {}).get(server, []) if one.get(figure) is not None]
        return statistics.median(values) if values else None

    def spread(self, measure, server):
        values = [one["value"] for one in self.found[measure][server]]
        return f"{shown(min(values))} to {shown(max(values))}" if len(values) > 1 else ""

    def rows(self):
        for measure, servers in self.found.items():
            ours = self.median(measure, OURS)
            for server in servers:
                value = self.median(measure, server)
                ratio = f"{ours / value:.2f}" if ours and value and server != OURS else ""
                yield [title(measure)[0] if server == OURS or OURS not in servers else "", server.replace("framework ", ""),
                       shown(value), title(measure)[1], self.spread(measure, server),
                       shown(self.median(measure, server, "p50_ms")), shown(self.median(measure, server, "p99_ms")), ratio,
                       self.remark(measure, server)]

    def remark(self, measure, server):
        names = {"idle_mb": "MB idle", "load_mb": "MB under load", "read_per_s": "results/s read back",
                 "submitted_per_s": "submitted/s", "memory_mb": "MB", "before_mb": "MB before", "min_ms": "ms at least",
                 "max_ms": "ms at most", "job_done_s": "s until a new job is done", "cpu_percent": "% of a core",
                 "wakes_per_s": "wake-ups/s", "full_per_s": "jobs/s full", "empty_per_s": "jobs/s empty",
                 "per_s": "submits/s", "burst_share": "of a burst",
                 "nginx_share": "of the most when nginx refuses", "nginx_refused_per_s": "refused/s by it",
                 "nginx_ms": "ms p99 of its refusals", "burst_per_s": "jobs/s of a burst",
                 "peak_before": "jobs/s at most before", "peak_after": "jobs/s at most after", "offered_per_s": "jobs/s offered",
                 "refused_per_s": "refused/s", "refusal_p99_ms": "ms p99 of a refusal",
                 "refusal_read_p99_ms": "ms p99 until the generator had read it", "health_ms": "ms until /healthz answered, at most",
                 "before_ms": "ms p99 at 200/s before", "after_ms": "ms p99 two seconds after",
                 "aged_p99_ratio": "times the p99 of a fresh server then", "aged_least": "times at least",
                 "aged_most": "times at most"}
        parts = []
        for key, text in names.items():
            value = self.median(measure, server, key)
            if value is not None:
                parts.append(f"{shown(value)} {text}")
        errors = sum(one.get("errors") or 0 for one in self.found[measure][server])
        return ", ".join([*parts, f"{errors} errors"] if errors else parts)

    def verdicts(self):
        for target in TARGETS:
            ours = self.median(target.measure, target.server, target.figure)
            if ours is None:
                continue
            owner = "" if target.server == OURS else f"{target.server}: "
            what = owner + title(target.measure)[0] + ("" if target.figure == "value" else f": {target.figure.replace('_', ' ')}")
            kind = "aim" if target.aim else "must"
            if target.peer:
                yield from self.ratio([what, kind], ours, target.factor, False, target.peer, "value", target.measure)
                continue
            yield [what, kind, f"{'≤' if target.most else '≥'} {target.factor:g}", shown(ours),
                   reached(ours, target.factor, target.most)]
            if target.beside:
                peer, then = target.beside
                yield from self.ratio([f"{what}, as a ratio", kind], ours, target.factor / then, True, peer, target.figure, target.measure)

    def ratio(self, start, ours, factor, most, peer, figure, measure):
        """The verdict on a ratio to a peer; none when the peer was not measured."""
        theirs = self.median(measure, peer, figure)
        if theirs:
            yield [*start, f"{'≤' if most else '≥'} {factor:.3g} × {peer}", f"{ours / theirs:.2f} ×",
                   reached(ours / theirs, factor, most)]

    def text(self):
        head = ["Measure", "Server", "Median", "Unit", "Spread", "p50 ms", "p99 ms", "ours / it", "Beside it"]
        parts = []
        if self.limits:
            parts += ["## Limits of the machine", table(["What", "Each second"], self.limits)]
        parts += ["## Figures", table(head, list(self.rows()))]
        verdicts = list(self.verdicts())
        if verdicts:
            parts += ["## Reached", table(["Measure", "Kind", "Wanted", "Found", "Reached"], verdicts)]
        for measure, servers in self.found.items():
            for figures in servers.get(OURS, []):
                if figures.get("samples"):
                    parts += [f"## {title(measure)[0].capitalize()}", self.samples(figures["samples"])]
        if self.notes:
            parts += ["## Left out", "\n".join(f"* {note}" for note in self.notes)]
        return "\n\n".join(parts)

    @staticmethod
    def samples(samples):
        head = ["Second", "p50 ms", "p99 ms", "Memory MB", "Descriptors"]
        return table(head, [[shown(s["second"]), shown(s["p50_ms"]), shown(s["p99_ms"]), shown(s["memory_mb"]),
                             s["descriptors"]] for s in samples])


def page(results, facts, settings, servers, command):
    """The whole of RESULTS.md."""
    meaning = table(["Server", "Version", "What an acknowledgement means", "Where the result is"],
                    [[name, *row] for name, row in servers.items()])
    return "\n\n".join([
        "# Results",
        f"Measured with `{command}` on {facts['date']}: {facts['processor']}, {facts['memory']}, {facts['kernel']}, "
        f"{facts['disk']}, load average {facts['load']} at the start; loader and servers on the same machine over loopback. "
        f"{settings.described()}; ours and the peers in turn, medians. Each row is described in [the "
        "readme](README.md).",
        meaning, results.text()]) + "\n"
