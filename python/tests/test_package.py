"""What the package is made of: its version, its stubs, and what it says where a library is missing."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fovea

ROOT = Path(__file__).parents[2]
STUBS = ast.parse((ROOT / "python" / "fovea" / "__init__.pyi").read_text())


def test_versions_are_in_step():
    cmake = re.search(r"project\(fovea VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    project = re.search(r'^version = "([^"]+)"', (ROOT / "python" / "pyproject.toml").read_text(), re.M).group(1)
    assert fovea.__version__ == cmake == project


def test_every_public_name_is_listed():
    public = {name for name in vars(fovea) if not name.startswith("_") and not inspect.ismodule(getattr(fovea, name))}
    assert public == set(fovea.__all__)


def stubs_of(body):
    return {node.name: node for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def test_every_name_has_a_stub_and_every_stub_a_name():
    stubs = stubs_of(STUBS.body)
    assert set(stubs) == set(fovea.__all__)
    for name in fovea.__all__:
        thing = getattr(fovea, name)
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        has = {member for member in vars(thing) if not member.startswith("_")}
        assert has == {member for member in stubs_of(stubs[name].body) if not member.startswith("_")}, name


def arguments_of_stub(function):
    """[(name, default as text or None)], without self."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults = [None] * (len(plain) - len(spec.defaults)) + list(spec.defaults)
    pairs = list(zip(plain, defaults)) + list(zip(spec.kwonlyargs, spec.kw_defaults))
    return [(arg.arg, default and ast.literal_eval(default)) for arg, default in pairs if arg.arg != "self"]


def arguments_of_docstring(function):
    """The same of pybind11's first line: name(self: T, a: int, *, b: float = 0.5) -> R."""
    signature = re.match(r"\w+\((.*)\) ->", function.__doc__).group(1)
    while signature != (signature := re.sub(r"(\w)\[[^\[\]]*\]", r"\1", signature)):  # list[int] -> list
        pass
    signature = re.sub(r"(\w+): [^=,]*", r"\1", signature)
    parsed = ast.parse(f"def f({signature}): ...").body[0]
    return arguments_of_stub(parsed)


def functions():
    for name, node in stubs_of(STUBS.body).items():
        if isinstance(node, ast.FunctionDef):
            yield pytest.param(node, getattr(fovea, name), id=name)
        else:
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                    member = vars(getattr(fovea, name)).get(part.name)
                    if not isinstance(member, property):
                        yield pytest.param(part, member, id=f"{name}.{part.name}")


@pytest.mark.parametrize("stub, function", list(functions()))
def test_stubs_have_the_arguments_and_defaults_of_their_functions(stub, function):
    said, real = arguments_of_stub(stub), arguments_of_docstring(function)
    assert [name for name, _ in said] == [name for name, _ in real]
    for (name, default), (_, other) in zip(said, real):
        assert default == (pytest.approx(other) if isinstance(other, float) else other), name


def test_help_and_messages_name_the_package():
    for name in fovea.__all__:
        thing = getattr(fovea, name)
        assert thing.__doc__ or issubclass(thing, Exception), name
        if inspect.isclass(thing):
            assert thing.__module__ == "fovea", name


def test_a_missing_library_is_one_line_that_names_the_packages(tmp_path):
    """A copy of the module that asks for a library of another name."""
    shutil.copytree(Path(fovea.__file__).parent, tmp_path / "fovea")
    (module,) = (tmp_path / "fovea").glob("_fovea*.so")
    module.write_bytes(module.read_bytes().replace(b"libfovea.so.0\0", b"libfovea.so.9\0"))
    run = subprocess.run(
        [sys.executable, "-c", "import fovea"], cwd=tmp_path, env={}, capture_output=True, text=True
    )
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: [fovea] libfovea.so.9 is missing: ")
    assert "libdnnl2" in last and "libgomp1" in last
    assert "During handling" not in run.stderr
