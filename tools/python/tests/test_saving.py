# SPDX-License-Identifier: BSD-2-Clause
"""Files that fabrics are saved to."""
import errno
import os
import resource

import pytest

import madring

TREE = "fat-tree:leafs=4,spines=2,hosts=4"


def failed_save(folder):
    """Saves to a full disk, and to a file that cannot be replaced."""
    path = os.path.join(folder, "fabric.json")
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
    fabric.save(path)
    os.chmod(path, 0o640)
    os.symlink("fabric.json", os.path.join(folder, "link"))
    fabric.save(os.path.join(folder, "link"))
    assert os.stat(path).st_mode & 0o777 == 0o640
    with open(path) as file:
        before = file.read()
    with pytest.raises(madring.Error) as full:
        fabric.save("/dev/full")
    assert full.value.errno in (errno.EIO, errno.ENOSPC)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    with pytest.raises(madring.Error) as caught:
        fabric.save(path)
    assert caught.value.filename == path
    with open(path) as file:
        assert file.read() == before
    assert sorted(os.listdir(folder)) == ["fabric.json", "link"]
    with pytest.raises(madring.Error) as missing:
        fabric.save(os.path.join(folder, "nowhere", "file"))
    assert missing.value.errno == errno.ENOENT
    return caught.value.errno


def test_failed_save_leaves_the_old_file(simulated_fabric, tmp_path):
    assert simulated_fabric(TREE).call(failed_save, str(tmp_path)) in (errno.EFBIG, errno.EIO)
