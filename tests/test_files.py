"""Files appear whole or not at all; a lock has one holder; a full disk names the file."""

import errno
import hashlib

import pytest

from hlsvm._files import claim, read_json, sha256, write_json, write_whole


def test_text_bytes_and_streams(tmp_path):
    for content in ("é\n", "é\n".encode(), lambda stream: stream.write("é\n".encode())):
        path = tmp_path / "new" / "file"
        write_whole(path, content)
        assert path.read_bytes() == "é\n".encode()
        path.unlink()
    write_json(path, {"a": [1]})
    assert read_json(path) == {"a": [1]}
    assert sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    write_whole(path, "old")
    path.chmod(0o600)

    def fail(stream):
        stream.write(b"new")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(path, fail)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    write_whole(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_holder(tmp_path):
    with claim(tmp_path / "lock") as first, claim(tmp_path / "lock") as second:
        assert (first, second) == (True, False)
    with claim(tmp_path / "lock", wait=True) as again:
        assert again
