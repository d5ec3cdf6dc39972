"""A SeaweedFS with its S3 interface, in a temporary folder on this machine."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from postgres import free_port

KEYS = {"AWS_ACCESS_KEY_ID": "jobs", "AWS_SECRET_ACCESS_KEY": "hush-hush"}


class S3:
    """One server with its data, and the process, if any."""

    def __init__(self, program):
        self.program, self.port = program, free_port()
        self.folder = tempfile.mkdtemp(prefix="jobserver-s3-")
        with open(f"{self.folder}/keys.json", "w") as out:
            json.dump({"identities": [{
                "name": "jobs", "actions": ["Read", "Write", "List"],
                "credentials": [{"accessKey": KEYS["AWS_ACCESS_KEY_ID"], "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}],
            }]}, out)
        self.ports = [free_port() for _ in range(6)]
        self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        os.makedirs(f"{self.folder}/data", exist_ok=True)
        master, volume, filer, *grpc = self.ports
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "server", f"-dir={self.folder}/data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                 f"-master.port={master}", f"-master.port.grpc={grpc[0]}", f"-volume.port={volume}",
                 f"-volume.port.grpc={grpc[1]}", "-volume.max=20", "-master.volumeSizeLimitMB=1024", "-filer",
                 f"-filer.port={filer}", f"-filer.port.grpc={grpc[2]}", "-s3", f"-s3.port={self.port}",
                 f"-s3.port.grpc={free_port()}", "-s3.port.iceberg=0", f"-s3.config={self.folder}/keys.json"],
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(f"{self.folder}/log", errors="replace") as log:
                    raise SystemExit(f"FAILED: SeaweedFS did not start: {log.read()[-1500:]}")
            time.sleep(0.05)

    def answers(self):
        try:
            urllib.request.urlopen(f"{self.url}/", timeout=2).close()
        except urllib.error.HTTPError as answer:
            return answer.code < 500
        except OSError:
            return False
        return True

    def shell(self, command):
        subprocess.run(
            [self.program, "shell", f"-master=127.0.0.1:{self.ports[0]}.{self.ports[3]}",
             f"-filer=127.0.0.1:{self.ports[2]}.{self.ports[5]}"],
            input=f"{command}\nexit\n", text=True, capture_output=True, timeout=60, cwd=self.folder)

    def make_bucket(self, name):
        self.shell(f"s3.bucket.create -name {name}")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def clean_up(self):
        self.stop()
        shutil.rmtree(self.folder)
