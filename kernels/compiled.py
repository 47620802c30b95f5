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
from llvmlite.binding import Linkage, parse_assembly
from numba import _dynfunc, config
from numba.core.cgutils import normalize_ir_text
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering, NopythonRewrites, NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes

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
config.OPT = type(config.OPT)(3)
JIT = not config.DISABLE_JIT


def is_warm(function: Any) -> bool:
    """Return whether an entry point lies compiled in the cache."""
    name = function.py_func
    return any(Path(function.stats.cache_path).glob(f"{name.__module__.rpartition('.')[2]}.{name.__name__}-*.nbi"))


class Part(JITCodeLibrary):
    """The code of an inner function, which waits for an entry point.

    numba optimises and compiles the code of every function together with that of all functions below it: in a tree of calls seven deep, seven times over. Here
    only entry points do, with all their parts at once: half of the first run.
    """

    def _ensure_finalized(self) -> None:
        pass

    def add_ir_module(self, ir_module: Any) -> None:
        """Take the code as it is: the entry point checks and optimises it."""
        self._final_module.link_in(parse_assembly(normalize_ir_text(str(ir_module))))

    def _get_module_for_linking(self) -> Any:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"        # two entry points may have it
        return self._final_module


class Whole(JITCodeLibrary):
    """The code of an entry point, with its parts and theirs."""

    def finalize(self) -> None:
        parts = dict.fromkeys(self._linking_libraries)
        waiting = list(parts)
        while waiting:
            below = [library for library in waiting.pop()._linking_libraries if library not in parts]
            parts |= dict.fromkeys(below)
            waiting += below
        self._linking_libraries = list(parts)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise once: numba's first, cheap round serves reference counts, which kernels have not."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Lower an inner function into a `Part`."""

    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        library = state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        name = lowered.fndesc.unique_name
        function = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (library,))      # a key: it has no address to call
        state.targetctx.insert_user_function(function, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=function)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerWhole(NativeLowering):
    """Lower an entry point into a `Whole`."""

    _name = "lower_whole"

    def run_pass(self, state: Any) -> bool:
        state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


KNOWN: dict[Any, Any] = {}      # what an operator, or a function of Python's own, makes of types


@register_pass(mutates_CFG=True, analysis_only=False)
class InferTypes(NopythonTypeInference):
    """Infer types, and ask numba only once what an operator makes of each pair of types: a tenth of the first run."""

    _name = "infer_types"

    def run_pass(self, state: Any) -> bool:
        context = state.typingctx
        if "resolve_function_type" in vars(context):         # a function called by one whose types are being inferred
            return bool(super().run_pass(state))
        ask = context.resolve_function_type

        def resolve(function: Any, args: Any, named: Any) -> Any:
            operator = getattr(function, "typing_key", function)
            if named or getattr(operator, "__module__", None) not in ("_operator", "builtins"):
                return ask(function, args, named)
            if (operator, args) not in KNOWN:
                KNOWN[operator, args] = ask(function, args, named)
            return KNOWN[operator, args]

        context.resolve_function_type = resolve
        try:
            return bool(super().run_pass(state))
        finally:
            del context.resolve_function_type


UNUSED = (InlineClosureLikes, NopythonRewrites)      # kernels have no closures, and no sums of whole arrays


def compiler(lowering: type) -> type:
    """Return numba's compiler with another way of lowering."""

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            ours = {NativeLowering: lowering, NopythonTypeInference: InferTypes}
            passes.passes = [(ours.get(step, step), text) for step, text in passes.passes if step not in UNUSED]
            passes._finalized = False
            passes.finalize()
            return [passes]

    return Compiler


# Without error_model every % n_seats tests for zero. Without _nrt=False every array argument of every call is counted: two atomic instructions a card,
# and a random deal takes 3 times as long (numba 0.68).
plain: Any = partial(numba.njit, error_model="numpy", _nrt=False)
kernel: Any = partial(plain, pipeline_class=compiler(LowerWhole))
# Only entry points are called from Python: a fifth of the first run went into wrappers of the others.
njit: Any = partial(plain, pipeline_class=compiler(LowerPart), no_cpython_wrapper=True, no_cfunc_wrapper=True)
small: Any = partial(njit, forceinline=True)            # a few instructions: LLVM puts them in place
entry: Any = partial(kernel, nogil=True, cache=True)    # what it calls is compiled into it
