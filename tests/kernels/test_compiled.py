"""The cache of compiled kernels cannot answer with old code."""

import shutil

import pytest

from kernels import compiled

SOURCES = sorted(path.name for path in compiled.HERE.glob("*.py"))


@pytest.fixture
def copied(tmp_path):
    return shutil.copytree(compiled.HERE, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))


def test_cache_folder_is_named_by_the_sources(copied):
    assert compiled.source_hash(copied) == compiled.source_hash()
    assert compiled.cache_folder().name == compiled.source_hash()


@pytest.mark.parametrize("name", SOURCES)
def test_a_change_of_any_source_changes_the_name(copied, name):
    source = copied / name
    source.write_bytes(source.read_bytes() + b"#")
    assert compiled.source_hash(copied) != compiled.source_hash()


def test_a_new_source_and_a_new_name_change_the_name(copied):
    (copied / "search_more.py").write_bytes(b"")
    with_new = compiled.source_hash(copied)
    (copied / "search_more.py").rename(copied / "search_less.py")
    assert len({compiled.source_hash(), with_new, compiled.source_hash(copied)}) == 3


def test_cache_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("TRICKLAB_CACHE", str(tmp_path))
    assert compiled.cache_folder() == tmp_path / compiled.source_hash()


def test_cache_folder_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRICKLAB_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(compiled.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = compiled.cache_folder()
    assert folder.is_dir()
    assert tmp_path / "file" not in folder.parents
