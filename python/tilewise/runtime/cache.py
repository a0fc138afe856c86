"""`triton.runtime.cache`: files by key in the cache folder, each written aside and then renamed."""

import os

from .. import knobs
from .._utils import sha256


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
        aside = self._path(f"{filename}.tmp.{os.getpid()}.{os.urandom(8).hex()}")
        try:
            with open(aside, "wb") as file:
                file.write(data)
            os.replace(aside, self._path(filename))
        except OSError:
            if os.path.exists(aside):
                os.unlink(aside)
            raise
        return self._path(filename)

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            import json
            group = json.load(file).get("child_paths")
        return group if group and all(map(os.path.exists, group.values())) else None

    def put_group(self, filename, group):
        import json
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}")


class RemoteCacheBackend:
    """A cache elsewhere, by file name: `get(filenames)` gives a dict of what it has, `put(filename, data)` adds to it."""

    def __init__(self, key):
        self.key = key


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """The cache of a Redis server; needs the package `redis`."""

    def __init__(self, key):
        import redis
        super().__init__(key)
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)
        self._key_format = knobs.redis.key_format

    def _key(self, filename):
        return self._key_format.format(key=self.key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._key(filename) for filename in filenames])
        return {filename: data for filename, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._key(filename), data)


class RemoteCacheManager(CacheManager):
    """A cache elsewhere (the class that TRITON_REMOTE_CACHE_BACKEND names), with copies in the local folder."""

    def __init__(self, key, override=False, dump=False):
        if not knobs.cache.remote_manager_class:
            raise RuntimeError("Unable to instantiate RemoteCacheManager, TRITON_REMOTE_CACHE_BACKEND doesn't point to a valid class")
        self._local = FileCacheManager(key, override=override, dump=dump)
        self._remote = None if override or dump else knobs.cache.remote_manager_class(key)

    def get_file(self, filename):
        if self._remote is None:
            return self._local.get_file(filename)
        found = self._remote.get([filename])
        return self._local.put(found[filename], filename) if filename in found else None

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        if self._remote is not None:
            self._remote.put(filename, data)
        return self._local.put(data, filename)

    def get_group(self, filename):
        if self._remote is None:
            return self._local.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            import json
            names = json.load(file).get("child_paths")
        found = self._remote.get(names) if names else {}
        return {name: self._local.put(found[name], name) for name in names} if names and len(found) == len(names) else None

    def put_group(self, filename, group):
        if self._remote is None:
            return self._local.put_group(filename, group)
        import json
        return self.put(json.dumps({"child_paths": sorted(group)}), f"__grp__{filename}")


def get_cache_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key)


def get_dump_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key, dump=True)


def get_override_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(key, override=True)


def triton_key():
    """What a cache of compiled kernels must tell apart: two builds of one version may compile differently."""
    from .. import _native
    return _native.build_id()


def get_cache_key(src, backend=None, options=None, env_vars=None):
    return sha256(f"{triton_key()}-{src.hash()}-{options}")
