"""wheel.py BUILD FOLDER: an installed build tree as a wheel, with the metadata of pyproject.toml."""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_BYTES = 40_000_000


def staged(build, folder):
    """cmake --install with the package's folder as the prefix, the Python files in it."""
    prefix = folder / "tilewise"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip"], check=True, stdout=subprocess.DEVNULL)
    (native,) = prefix.rglob("_native.abi3.so")
    for path in native.parent.iterdir():
        path.rename(prefix / path.name)
    shutil.rmtree(prefix / native.relative_to(prefix).parts[0] / native.relative_to(prefix).parts[1])  # lib/python3.x
    subprocess.run(["cmake", "-D", f"PREFIX={prefix}", "-P", ROOT / "cmake" / "WheelLayout.cmake"], check=True)
    return prefix


def oldest_glibc(prefix):
    """The newest version of glibc that one of the files asks for, as (2, 34)."""
    newest = (2, 17)
    for path in prefix.rglob("*"):
        if path.is_file() and path.open("rb").read(4) == b"\x7fELF":
            told = subprocess.run(["readelf", "-V", path], check=True, capture_output=True, text=True).stdout
            if "GLIBC_ABI_DT_RELR" in told:
                raise SystemExit(f"error: {path.name} has packed relocations, which only glibc 2.36 loads; build with TILEWISE_PORTABLE=ON")
            newest = max([newest, *(tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", told))])
    return newest


def machine(prefix):
    """What the extension is compiled for, as wheels name it."""
    number = int.from_bytes((prefix / "_native.abi3.so").read_bytes()[18:20], "little")
    return {62: "x86_64", 183: "aarch64"}[number]


def metadata(project, version):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}",
             *(f"Classifier: {one}" for one in project["classifiers"]), "Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    points = {"console_scripts": project["scripts"], **project["entry-points"]}
    text = "\n".join(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()) for group, entries in points.items())
    return {"METADATA": "\n".join(lines), "entry_points.txt": text}


def main():
    build, out = sys.argv[1:]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r"project\(Tilewise VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        prefix = staged(build, folder)
        major, minor = oldest_glibc(prefix)
        tag = f"cp310-abi3-manylinux_{major}_{minor}_{machine(prefix)}"
        info = folder / f"tilewise-{version}.dist-info"
        (info / "licenses").mkdir(parents=True)
        for name, text in metadata(project, version).items():
            (info / name).write_text(text)
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: tilewise dev/wheel\nRoot-Is-Purelib: false\nTag: {tag}\n")
        shutil.copy(ROOT / "LICENSE", info / "licenses")
        pathlib.Path(out).mkdir(parents=True, exist_ok=True)
        wheel = pathlib.Path(out) / f"tilewise-{version}-{tag}.whl"
        record = []
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = path.relative_to(folder).as_posix()
                data = path.read_bytes()
                entry = zipfile.ZipInfo(name)  # of no time, so that the same tree gives the same wheel
                entry.external_attr = (path.stat().st_mode & 0o777 | 0o100000) << 16
                archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{name},sha256={digest},{len(data)}")
            archive.writestr(f"{info.name}/RECORD", "\n".join([*record, f"{info.name}/RECORD,,", ""]))
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"error: {wheel} has {size} bytes, at most {MOST_BYTES} are allowed")
    print(wheel)


if __name__ == "__main__":
    main()
