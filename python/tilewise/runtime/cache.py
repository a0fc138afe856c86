"""`triton.runtime.cache`: files by key in the cache folder, each written aside and then renamed."""

import hashlib
import json
import os
import uuid

from .. import knobs


class CacheManager:
    """What every cache offers."""

    def get_file(self, filename):
        raise NotImplementedError

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        raise NotImplementedError

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """The files of one key: a folder of its name."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.lock_path = None
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        self.cache_dir = os.path.join(root, key)
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._path(filename))

    def get_file(self, filename):
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        aside = self._path(f"{filename}.tmp.{os.getpid()}.{uuid.uuid4()}")
        with open(aside, "wb") as file:
            file.write(data)
        os.replace(aside, self._path(filename))
        return self._path(filename)

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            group = json.load(file).get("child_paths")
        return group if group and all(map(os.path.exists, group.values())) else None

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}")


class RemoteCacheBackend:
    """A cache elsewhere, keyed by file name."""

    def __init__(self, key):
        self.key = key


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Not offered: the cache of Tilewise is on this machine."""

    def __init__(self, key):
        raise NotImplementedError("Tilewise keeps its cache on this machine")


class RemoteCacheManager(FileCacheManager):
    """The local folder alone."""


def get_cache_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key)


def get_dump_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key, dump=True)


def get_override_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key, override=True)


def triton_key():
    from ..engines import version
    return version()


def get_cache_key(src, backend=None, options=None, env_vars=None):
    return hashlib.sha256(f"{triton_key()}-{src.hash()}-{options}".encode()).hexdigest()
