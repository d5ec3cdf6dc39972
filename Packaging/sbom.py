"""Writes the bill of materials of a program (CycloneDX 1.5): what is in components.json, with the versions that it was
built with. Fails when the program is linked with a library that is not in there.

usage: python3 Packaging/sbom.py PROGRAM
"""

import json
import pathlib
import re
import subprocess
import sys


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def known(**members):
    return {name: value for name, value in members.items() if value}


def properties(*pairs):
    return [{"name": f"jobserver:{name}", "value": value} for name, value in pairs if value]


program = sys.argv[1]
components = json.loads(pathlib.Path(__file__).with_name("components.json").read_text())
listed = {library for component in components for library in component.get("libraries", [])}
needed = re.findall(r"\(NEEDED\).*\[([^].]+?)(?:-[0-9][^]]*)?\.[^]]*\]", output("readelf", "-d", program))
# Debug builds load Swift's libraries, which release builds include.
foreign = {"ld-linux" if name.startswith("ld-linux") else name for name in needed if not re.match("libswift|lib_", name)}
if not foreign or foreign - listed:
    sys.exit(f"{program}: its libraries {sorted(foreign - listed)} are not in Packaging/components.json"
             if foreign else f"{program}: readelf finds no libraries")
lines = output(program, "version").split("\n")
commit = re.search("commit ([^,]+)", lines[1]) if len(lines) > 1 else None
json.dump({
    "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
    "metadata": {"component": known(
        type="application", **{"bom-ref": "jobserver"}, name="jobserver", version=lines[0].removeprefix("jobserver "),
        licenses=[{"expression": "MIT"}], properties=properties(("commit", commit and commit[1])))},
    "components": [known(
        type="library", **{"bom-ref": component["name"]}, name=component["name"],
        version="module" in component and output("pkg-config", "--modversion", component["module"]).strip(),
        scope="optional" if component["linkage"] == "optional" else "required",
        licenses=[{"expression": component["license"]}],
        externalReferences=[{"type": "website", "url": component["homepage"]}],
        properties=properties(
            ("linkage", component["linkage"]), *(("library", library) for library in component.get("libraries", []))))
        for component in components],
    "dependencies": [{"ref": "jobserver", "dependsOn": [component["name"] for component in components]}],
}, sys.stdout, indent=1)
print()
