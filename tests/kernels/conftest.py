"""Kernel tests run with the JIT and, with NUMBA_DISABLE_JIT=1, in plain Python."""

from kernels.compiled import JIT


def pytest_configure(config):
    if not JIT:         # random numbers wrap around at 2^64, which plain NumPy reports
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
