"""One tenant attacks, another one and the health checks must not notice. See README.md, "Hostile load"."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from processes import end  # noqa: E402
from .parts import Part, attack, other_tenant, prober, quantile, upstream

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(f"{ROOT}/Tests/Scale")
from postgres import Postgres  # noqa: E402

#: Seconds.
JOB_P99_MOST, JOB_MOST, HEALTH_P99_MOST = 0.250, 2.0, 0.100
#: Jobs of the other tenant in a second.
RATE_OF_OTHER = 10


class Server:
    """One process with limited address space."""

    def __init__(self, binary, folder, number, memory, store=None):
        self.log_path, port_file = f"{folder}/log-{number}", f"{folder}/port-{number}"
        words = [binary, "serve", "--port", "0", "--port-file", port_file, "--data", f"{folder}/data-{number}", "--egress-allow",
                 "127.0.0.0/8", "--log-level", "warning", "--token-file", f"{folder}/tokens"]
        if store:
            words += ["--store", store, "--artifacts", f"{folder}/artifacts", "--secret-key-file", f"{folder}/key"]
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory << 10, memory << 10)))
        deadline = time.monotonic() + 60
        while not os.path.exists(port_file) or not (text := open(port_file).read().strip()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"FAILED: the server did not start: {self.last_words()}")
            time.sleep(0.02)
        self.port = int(text)
        self.facts = {}

    def look(self):
        """Remembers what the system knows of the process, for when it is gone."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                for line in status:
                    if line.startswith(("VmPeak", "VmHWM")):
                        self.facts[line.split(":")[0]] = int(line.split()[1]) / 1024
        except (FileNotFoundError, ProcessLookupError):
            pass

    def last_words(self):
        """The reason of its end, and what came last."""
        with open(self.log_path, errors="replace") as log:
            lines = log.read().splitlines()
        reasons = [line[:300] for line in lines if "atal error" in line or "Crash" in line or "terminate" in line]
        return "\n".join(reasons[:3] + [line[:300] for line in lines[-5:]])

    def stop(self):
        """The exit code, negative for a signal, and the seconds that the end took."""
        self.look()
        began = time.monotonic()
        if self.process.poll() is None:
            end(self.process)
        self.log.close()
        return self.process.returncode, time.monotonic() - began


def token(binary, folder, name):
    return subprocess.run([binary, "token", "create", "--token-file", f"{folder}/tokens", "--name", name, "--tenant", name],
                          check=True, capture_output=True, text=True).stdout.split()[-1]


def summary(title, found, lateness):
    times = [seconds for _, seconds in found]
    print(f"| {title} | {len(times)} | {quantile(times, 0.5) * 1e3:.1f} | {quantile(times, 0.99) * 1e3:.1f} "
          f"| {max(times, default=0) * 1e3:.1f} | {quantile(lateness, 0.99) * 1e3:.1f}, {max(lateness, default=0) * 1e3:.1f} |")
    return times


def run(binary, folder, count, seconds, base, rate, memory, wanted):
    failures, database = [], None
    evil, good = token(binary, folder, "evil"), token(binary, folder, "good")
    store = None
    parts, servers = [], []
    try:
        if count > 1:
            database = Postgres()
            database.start()
            store = database.address
            os.mkdir(f"{folder}/artifacts")
            with open(f"{folder}/key", "w") as out:
                out.write(os.urandom(32).hex())
            os.chmod(f"{folder}/key", 0o600)
        for number in range(count):
            servers.append(Server(binary, folder, number, memory, store))
        ports = [server.port for server in servers]
        # The other tenant calls an upstream of its own: pauses and breakers of an upstream hold for all tenants.
        places = [Part(upstream, is_heavy) for is_heavy in (False, True, False)]
        parts += places
        *urls, own_url = [part.get(60) for part in places]
        attacker = Part(attack, ports, evil, *urls, wanted, rate, seconds)
        parts.append(attacker)
        # What is prepared is no part of the measure.
        kinds = attacker.get(120)
        if kinds is None:
            raise SystemExit("FAILED: the attack could not be prepared")
        print("| Kind | What | Bytes |\n|---|---|--:|")
        for name, about, largest in kinds:
            print(f"| {name} | {about} | {largest:,} |")
        print("\n| Measured | Times | p50, ms | p99, ms | Longest, ms | Own lateness p99, longest, ms |\n|---|--:|--:|--:|--:|--:|")
        for is_base in (True, False):
            time_now = base if is_base else seconds
            tenant, health = Part(other_tenant, ports, good, own_url, RATE_OF_OTHER, time_now), Part(prober, ports, good, time_now)
            parts += [tenant, health]
            if not is_base:
                attacker.pipe.send("go")
            end = time.monotonic() + time_now + 65
            jobs = None
            while jobs is None and time.monotonic() < end:
                for server in servers:
                    server.look()
                jobs = tenant.get(0.5)
            jobs, checks = jobs or ([], ["no report"], []), health.get(30) or ([], ["no report"], [], [])
            when = "before" if is_base else "during"
            job_times = summary(f"job of one call, {when}", jobs[0], jobs[2])
            health_times = summary(f"/healthz, {when}", checks[0], checks[2])
            sys.stdout.flush()
            if is_base:
                continue
            judge(failures, job_times, health_times, jobs, checks)
            slow = sorted((round(at), round(took, 2)) for at, took in jobs[0] if took > JOB_P99_MOST)
            print(f"\njobs slower than {JOB_P99_MOST} s, (second, time): {slow[:60]}")
        report = attacker.get(60)
        print(f"\n{seconds * rate:.0f} were planned of each\n\n| Kind | Sent | Answers by status | Not answered | Longest, s |\n"
              "|---|--:|---|---|--:|")
        for name, (statuses, errors, longest) in (report or {}).items():
            print(f"| {name} | {sum(statuses.values()) + sum(errors.values())} | {', '.join(f'{status}: {number}' for status, number in sorted(statuses.items()))} "
                  f"| {', '.join(f'{error}: {number}' for error, number in errors.items())} | {longest:.2f} |")
        if report is None:
            failures.append("the attacker made no report")
    finally:
        for part in parts:
            part.stop()
        for number, server in enumerate(servers):
            had_ended = server.process.poll() is not None
            code, took = server.stop()
            print(f"\nserver {number + 1}: exit code {code}, stopped in {took:.1f} s, at most {server.facts.get('VmHWM', 0):,.0f} MB "
                  f"resident and {server.facts.get('VmPeak', 0):,.0f} MB of address space of {memory / 1024:,.0f}")
            if had_ended or code != 0:
                failures.append(f"server {number + 1} ended with {code}: {server.last_words()}")
        if database:
            database.clean_up()
    return failures


def judge(failures, job_times, health_times, jobs, checks):
    for what, times, share, most in (("job p99", job_times, 0.99, JOB_P99_MOST), ("longest job", job_times, 1, JOB_MOST),
                                     ("/healthz p99", health_times, 0.99, HEALTH_P99_MOST)):
        found = quantile(times, share)
        print(f"{'ok' if found <= most and times else 'FAILED'}: {what} is {found * 1e3:.0f} ms, at most {most * 1e3:.0f}")
        if found > most or not times:
            failures.append(f"{what} is {found * 1e3:.0f} ms")
    for what, wrong in (("jobs", jobs[1]), ("health checks", checks[1])):
        if wrong:
            failures.append(f"{len(wrong)} {what} failed: {wrong[0][:300]}")
    refused = [status for status in checks[3] if status != 200]
    if refused:
        failures.append(f"{len(refused)} of {len(checks[3])} event streams of the other tenant were refused: {refused[0]}")


def main():
    binary = os.environ.get("JOBSERVER") or f"{ROOT}/.build/release/jobserver"
    number = lambda name, otherwise: float(os.environ.get(name, otherwise))
    folder = tempfile.mkdtemp(prefix="jobserver-hostile.", dir=os.environ.get("BENCH_DIR"))
    # A shared PostgreSQL runs as another user.
    os.chmod(folder, 0o755)
    try:
        failures = run(binary, folder, int(number("SERVERS", 1)), number("TIME", 300), number("BASE", 15), number("RATE", 5),
                       int(number("MEMORY", 3 << 20)), os.environ.get("KINDS", "").split())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for failure in failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else print("ok: the other tenant is not affected"))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
