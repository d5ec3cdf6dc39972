"""Makes the parts of Tests/Crash importable: load, target, workload, servers as processes."""
import os
import sys

sys.path.append(f"{os.path.dirname(os.path.abspath(__file__))}/../Crash")
