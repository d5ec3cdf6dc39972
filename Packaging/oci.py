"""Writes an OCI image layout with one layer: the files of a directory, owned by root."""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import tarfile

parser = argparse.ArgumentParser()
parser.add_argument("root")
parser.add_argument("layout")
parser.add_argument("--owner", action="append", default=[], help="PATH=ID: the owner of a path")
parser.add_argument("--version", required=True)
parser.add_argument("--arch", required=True)
parser.add_argument("--commit", default="")
parser.add_argument("--date", type=int, required=True)
given = parser.parse_args()
owners = dict(pair.split("=") for pair in given.owner)
blobs = os.path.join(given.layout, "blobs", "sha256")
os.makedirs(blobs)


def blob(content, kind):
    digest = hashlib.sha256(content).hexdigest()
    with open(os.path.join(blobs, digest), "wb") as file:
        file.write(content)
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def normal(entry):
    identity = int(owners.get("/" + entry.name, 0))
    entry.uid = entry.gid = identity
    entry.uname = entry.gname = ""
    entry.mtime = given.date
    return entry


layer = io.BytesIO()
with tarfile.open(fileobj=layer, mode="w", format=tarfile.GNU_FORMAT) as archive:
    for folder, folders, files in os.walk(given.root):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        below = os.path.relpath(folder, given.root)
        if below != ".":
            archive.add(folder, below, recursive=False, filter=normal)
        for name in sorted(files + links):
            path = os.path.join(folder, name)
            archive.add(path, os.path.relpath(path, given.root), recursive=False, filter=normal)
content = layer.getvalue()
packed = gzip.compress(content, 9, mtime=0)
created = datetime.datetime.fromtimestamp(given.date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
labels = {
    "org.opencontainers.image.title": "jobserver",
    "org.opencontainers.image.version": given.version,
    "org.opencontainers.image.revision": given.commit,
    "org.opencontainers.image.licenses": "MIT",
}
config = {
    "created": created,
    "architecture": given.arch,
    "os": "linux",
    "config": {
        "User": "65532:65532",
        "ExposedPorts": {"8080/tcp": {}},
        "Env": ["PATH=/usr/bin", "JOBSERVER_DATA=/var/lib/jobserver"],
        "Entrypoint": ["/usr/bin/jobserver"],
        "Cmd": ["serve"],
        "Volumes": {"/var/lib/jobserver": {}},
        "WorkingDir": "/var/lib/jobserver",
        "Labels": labels,
        "StopSignal": "SIGTERM",
        # Not in the specification of OCI: engines that know Docker's extension use it, others skip it.
        "Healthcheck": {"Test": ["CMD", "/usr/bin/jobserver", "health"], "Interval": 30_000_000_000, "Timeout": 5_000_000_000},
    },
    "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
    "history": [{"created": created, "created_by": "Packaging/image"}],
}
manifest = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": blob(json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json"),
    "layers": [blob(packed, "application/vnd.oci.image.layer.v1.tar+gzip")],
    "annotations": labels,
}
index = blob(json.dumps(manifest).encode(), manifest["mediaType"])
index["annotations"] = {"org.opencontainers.image.ref.name": given.version}
index["platform"] = {"architecture": given.arch, "os": "linux"}
with open(os.path.join(given.layout, "index.json"), "w") as file:
    json.dump({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [index]}, file)
with open(os.path.join(given.layout, "oci-layout"), "w") as file:
    json.dump({"imageLayoutVersion": "1.0.0"}, file)
