"""The one way to compile here, and a cache that cannot answer with old code.

`cache=True` looks only at the file of the cached function: an edit in another file would keep returning old numbers. So the cache folder is named
by a hash of all kernel sources. Set before the first `njit`, therefore import this module first.
"""

import getpass
import hashlib
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba import config

HERE = Path(__file__).parent


def source_hash(folder: Path = HERE) -> str:
    """Return 16 hexadecimal digits that change with any byte of any kernel source."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the writable folder of compiled kernels: $TRICKLAB_CACHE, else the user's cache, else a temporary one."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tricklab"
    for base in (Path(os.environ.get("TRICKLAB_CACHE") or user), Path(tempfile.gettempdir()) / f"tricklab-{getpass.getuser()}"):
        folder = base / source_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp())


CACHE = cache_folder()
config.CACHE_DIR = str(CACHE)
config.LOOP_VECTORIZE = 0            # no loop over cards or seats is long enough to gain: half a second less of compiling
config.OPT = type(config.OPT)(1)     # a second less of compiling than level 3, for 2 to 3 % of the speed
JIT = not config.DISABLE_JIT


def is_warm(function: Any) -> bool:
    """Return whether an entry point lies compiled in the cache."""
    name = function.py_func
    return any(Path(function.stats.cache_path).glob(f"{name.__module__.rpartition('.')[2]}.{name.__name__}-*.nbi"))


# Without error_model every % n_seats tests for zero. Without _nrt=False every array argument of every call is counted: two atomic instructions a card,
# and a random deal takes 3 times as long (numba 0.68).
kernel: Any = partial(numba.njit, error_model="numpy", _nrt=False)
# Only entry points are called from Python: a fifth of the first run went into wrappers of the others.
njit: Any = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)
small: Any = partial(njit, forceinline=True)            # a few instructions: LLVM puts them in place
entry: Any = partial(kernel, nogil=True, cache=True)    # what it calls is compiled into it
