#!/usr/bin/env python3
"""A folder as a power loss leaves it: power_loss.py RECORD FOLDER MOMENT SEED

RECORD is what tests/preload/record_disk.c has written of a run in FOLDER, which was empty before it
and is filled anew, as the loss after the first MOMENT calls left it; prints what it has to hold:
"manifest", "result" or "nothing". With "count" for MOMENT only the number of calls is printed.

What is on a disk is all that was synced, a file's bytes by a sync of the file and a name by one of
its folder, and any part of the rest, by the seed: of the bytes written since, none, all, or some
blocks of 4 KiB, with or without the file's new size, so that zeros stand where a block is missing;
of the changes of names, those before some moment, as a journal has it, or any of them.
"""
import os
import random
import shutil
import struct
import sys

MADE, WROTE, CUT, SYNCED, RENAMED, REMOVED, MADE_FOLDER, REMOVED_FOLDER, LINKED, ALL_SYNCED = range(1, 11)
HEAD = struct.Struct("<4I3Q")
BLOCK = 4096


def read_record(path):
    with open(path, "rb") as file:
        data = file.read()
    at, calls = 0, []
    while at < len(data):
        operation, path_size, other_size, _, inode, offset, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        parts = []
        for length in (path_size, other_size, size):
            parts.append(data[at : at + length])
            at += length
        calls.append((operation, inode, parts[0].decode(), parts[1].decode(), offset, parts[2]))
    return in_order(calls)


def in_order(calls):
    """Of two processes that make a folder one does; the other may write in it before that is written down."""
    made, late = {""}, []
    for place, (operation, _, path, _, _, _) in enumerate(calls):
        if operation == MADE_FOLDER:
            made.add(path)
        elif operation == MADE and path.rpartition("/")[0] not in made:
            late.append(place)
    for place in late:
        parts = calls[place][2].split("/")[:-1]
        for depth in range(len(parts), 0, -1):
            maker = [i for i, call in enumerate(calls) if call[0] == MADE_FOLDER and call[2] == "/".join(parts[:depth])]
            if maker and maker[0] > place:
                calls.insert(place, calls.pop(maker[0]))
    return calls


class File:
    def __init__(self):
        self.synced = bytearray()
        self.since = []  # (offset, bytes), or (size, None): cut or made longer

    @staticmethod
    def apply(data, offset, written):
        if written is None:
            del data[offset:]
            data.extend(bytes(offset - len(data)))
        else:
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(written)] = written

    def sync(self):
        for change in self.since:
            self.apply(self.synced, *change)
        self.since = []

    def left(self, draw):
        data = bytearray(self.synced)
        kept = draw.choice((0, 1, draw.random()))
        size = len(data)
        for offset, written in self.since:
            if written is None:
                size = offset
                if draw.random() < kept:
                    self.apply(data, offset, None)
                continue
            size = max(size, offset + len(written))
            begin = offset
            while begin < offset + len(written):
                end = min(offset + len(written), begin // BLOCK * BLOCK + BLOCK)
                if draw.random() < kept:
                    self.apply(data, begin, written[begin - offset : end - offset])
                begin = end
        if self.since and draw.random() < 0.5:
            self.apply(data, size, None)
        return data


class Folder:
    def __init__(self):
        self.synced = {}  # name: File or Folder


class Disk:
    def __init__(self):
        self.root = Folder()
        self.now = {"": self.root}  # path: File or Folder, as the program sees them
        self.inodes = {}
        self.since = []  # changes of names: (folder, ((name, node or None), ...))

    def place(self, path):
        folder, _, name = path.rpartition("/")
        return self.now[folder], name

    def change(self, *names):
        folder = self.place(names[0][0])[0]
        self.since.append((folder, tuple((path.rpartition("/")[2], node) for path, node in names)))
        for path, node in names:
            if node is None:
                self.now.pop(path, None)
            else:
                self.now[path] = node

    def do(self, call):
        operation, inode, path, other, offset, data = call
        if operation in (MADE, MADE_FOLDER):
            node = File() if operation == MADE else Folder()
            self.inodes[inode] = node
            self.change((path, node))
        elif operation == WROTE:
            self.inodes[inode].since.append((offset, data))
        elif operation == CUT:
            self.inodes[inode].since.append((offset, None))
        elif operation == RENAMED:
            self.change((path, None), (other, self.now[path]))
            for below in [name for name in self.now if name.startswith(path + "/")]:
                self.now[other + below[len(path) :]] = self.now.pop(below)
        elif operation == LINKED:
            self.change((other, self.now[path]))
        elif operation in (REMOVED, REMOVED_FOLDER):
            self.change((path, None))
        elif operation == ALL_SYNCED:
            for node in self.inodes.values():
                if isinstance(node, File):
                    node.sync()
        elif operation == SYNCED:
            node = self.inodes.get(inode, self.root)
            if isinstance(node, File):
                node.sync()
                return
            for folder, names in self.since:
                if folder is node:
                    self.enter(folder, names)
            self.since = [entry for entry in self.since if entry[0] is not node]

    @staticmethod
    def enter(folder, names):
        for name, node in names:
            if node is None:
                folder.synced.pop(name, None)
            else:
                folder.synced[name] = node

    def lose_power(self, draw):
        some = draw.random()
        before = draw.randint(0, len(self.since)) if draw.random() < 0.5 else None
        for place, (folder, names) in enumerate(self.since):
            if place < before if before is not None else draw.random() < some:
                self.enter(folder, names)

    def write(self, folder, path, draw):
        for name, node in sorted(folder.synced.items()):
            to = os.path.join(path, name)
            if isinstance(node, Folder):
                os.mkdir(to, 0o700)
                self.write(node, to, draw)
            elif ".h5.partial-" not in name:  # the MPI library's own
                with open(to, "wb") as file:
                    file.write(node.left(draw))


def promised(calls):
    """What the calls have promised: the name was given, and its folder was synced after that."""
    named, said = None, "nothing"
    files = set()
    for operation, inode, _, other, _, _ in calls:
        if operation == MADE:
            files.add(inode)
        elif operation == RENAMED and other.endswith(("/manifest.json", "out.h5")):
            named = "manifest" if other.endswith("/manifest.json") else "result"
        elif operation == SYNCED and named is not None and inode not in files:
            said, named = named, None
    return said


def main():
    record, folder, moment, seed = sys.argv[1:]
    calls = read_record(record)
    if moment == "count":
        print(len(calls))
        return
    draw = random.Random(int(seed))
    disk = Disk()
    for call in calls[: int(moment)]:
        disk.do(call)
    disk.lose_power(draw)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    disk.write(disk.root, folder, draw)
    print(promised(calls[: int(moment)]))


main()
