"""The steps of the course, the learner's folder, and progress in it."""

import importlib.util
import json
import pathlib
import re
import shlex
import shutil

from .. import _native

# Beside what is compiled: where the package is installed to be edited, its sources are elsewhere.
STEPS_DIR = pathlib.Path(_native.__file__).parent / "learn" / "steps"
_FOLDER = "tilewise-course"


class Step:
    """One folder of steps/: lesson.md, exercise.py, solution.py and task.py."""

    def __init__(self, folder):
        self.folder = folder
        number, _, self.name = folder.name.partition("-")
        self.number = int(number)
        self.title = self.lesson.splitlines()[0].lstrip("# ")
        self.file_name = f"{self.number:02}_{self.name.replace('-', '_')}.py"

    @property
    def lesson(self):
        return (self.folder / "lesson.md").read_text(encoding="utf-8")

    @property
    def exercise(self):
        return self.folder / "exercise.py"

    @property
    def solution(self):
        return self.folder / "solution.py"

    @property
    def task(self):
        spec = importlib.util.spec_from_file_location(f"tilewise_task_{self.number}", self.folder / "task.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.TASK


def steps():
    folders = [folder for folder in STEPS_DIR.iterdir() if re.match(r"\d\d-", folder.name)] if STEPS_DIR.is_dir() else []
    return [Step(folder) for folder in sorted(folders)]


def find_step(text):
    """The step of a number or a name; None when there is none."""
    for step in steps():
        if text in (str(step.number), f"{step.number:02}", step.name):
            return step
    return None


class Workspace:
    """The learner's folder: one file per step, and .progress.json."""

    def __init__(self, folder=None):
        self.folder = pathlib.Path(folder or _FOLDER)
        self.progress_file = self.folder / ".progress.json"
        try:
            found = json.loads(self.progress_file.read_text())
        except (OSError, ValueError):
            found = {}
        self.progress = found if isinstance(found, dict) else {}

    def command(self, name, step):
        """What to type for it: with the folder, where it is not the one without --dir."""
        where = "" if self.folder == pathlib.Path(_FOLDER) else f" --dir={shlex.quote(str(self.folder))}"
        return f"tilewise learn {name} {step.number}{where}"

    def file_of(self, step):
        return self.folder / step.file_name

    def prepare(self, step):
        """Puts the exercise there if the learner has no file yet; whether it was put."""
        path = self.file_of(step)
        if path.exists():
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(step.exercise, path)
        return True

    def state(self, step):
        return self.progress.get(step.name, {})

    def note(self, step, **what):
        self.progress.setdefault(step.name, {}).update(what)
        self._save()

    def reset(self, step=None):
        """One step, or all: files go back to the exercises, what was written is kept beside them with the ending .old."""
        for each in [step] if step else steps():
            path = self.file_of(each)
            if path.exists() and path.read_bytes() != each.exercise.read_bytes():
                path.replace(path.with_suffix(".py.old"))
            elif path.exists():
                path.unlink()
            self.progress.pop(each.name, None)
            if step:
                self.prepare(each)
        if self.folder.is_dir():
            self._save()

    def _save(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.progress_file.write_text(json.dumps(self.progress, indent=1, sort_keys=True) + "\n")
