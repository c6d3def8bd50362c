# SPDX-License-Identifier: Apache-2.0
"""What attacks start from: the shipped files, and things that the program makes once."""
import functools
import glob
import os
import subprocess

import yaml

from schema import Schema

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CONFIGS = os.path.join(ROOT, "configs")


@functools.lru_cache(maxsize=None)
def config_texts():
    """{name: text} of the shipped configurations."""
    texts = {}
    for path in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            texts[os.path.basename(path)] = file.read()
    return texts


@functools.lru_cache(maxsize=None)
def config_trees():
    """{name: tree} of the same, as parsed."""
    return {name: yaml.safe_load(text) for name, text in config_texts().items()}


@functools.lru_cache(maxsize=None)
def file_bytes(path):
    """A file of the checkout."""
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def schema(weft):
    return Schema(output(weft, "schema"))


@functools.lru_cache(maxsize=None)
def output(weft, *args):
    """What the program prints."""
    return subprocess.run([weft, *args], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def link_shipped(folder):
    """Makes the files that shipped configurations name visible beside a copy of one."""
    for name in ["traces", "parts", "memory", *config_texts()]:
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            os.symlink(os.path.join(CONFIGS, name), path)
