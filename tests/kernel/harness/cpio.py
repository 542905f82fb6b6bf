# SPDX-License-Identifier: BSD-2-Clause
"""A folder as a cpio archive (newc), which the kernel takes as its first file system."""
import os
import stat


def header(inode, mode, size, name):
    # inode, mode, uid, gid, links, mtime, size, device and its own device, name, no checksum
    fields = [inode, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, len(name) + 1, 0]
    return "070701" + "".join(f"{field:08x}" for field in fields)


def pad(file):
    file.write(b"\0" * (-file.tell() % 4))


def add(file, inode, name, mode, content):
    file.write(header(inode, mode, len(content), name).encode() + name.encode() + b"\0")
    pad(file)
    file.write(content)
    pad(file)


def content_of(path, mode):
    if stat.S_ISLNK(mode):
        return os.readlink(path).encode()
    if stat.S_ISREG(mode):
        with open(path, "rb") as file:
            return file.read()
    return b""


def archive(folder, target):
    inode = 1
    with open(target, "wb") as file:
        for top, folders, files in os.walk(folder):
            for name in sorted(folders + files):
                path = os.path.join(top, name)
                mode = os.lstat(path).st_mode
                add(file, inode, os.path.relpath(path, folder), mode, content_of(path, mode))
                inode += 1
        add(file, 0, "TRAILER!!!", 0, b"")
