"""Processes that the benchmarks start."""
import subprocess


def end(process):
    """Asks a process to end, and kills it when it has not after a minute."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
