"""Bits of card masks. Masks are positive int64 (layout.py)."""

import numpy as np
from numba import types
from numba.extending import intrinsic

from kernels.compiled import JIT, small
from kernels.layout import SUIT_BITS, Denomination

SUIT = np.int64((1 << 13) - 1)


if JIT:
    from llvmlite import binding, ir

    def _bit_count(operation: str, offset: int, sign: int):
        """Return an intrinsic for one of LLVM's counting instructions: offset + sign * count."""

        def typed(typingctx, mask):
            def codegen(context, builder, signature, args):
                word = ir.IntType(64)
                with_flag = operation != "ctpop"
                function = builder.module.declare_intrinsic(f"llvm.{operation}", (word,), ir.FunctionType(word, [word, ir.IntType(1)] if with_flag else [word]))
                count = builder.call(function, [args[0], ir.Constant(ir.IntType(1), 1)] if with_flag else [args[0]])
                return builder.add(ir.Constant(word, offset), count if sign > 0 else builder.neg(count))

            return types.int64(types.int64), codegen

        return intrinsic(typed)

    count_cards = _bit_count("ctpop", 0, 1)
    lowest_card = _bit_count("cttz", 0, 1)
    highest_card = _bit_count("ctlz", 63, -1)

    if binding.get_host_cpu_features().get("bmi2", False):

        @intrinsic
        def _deposit(typingctx, source, mask):
            def codegen(context, builder, signature, args):
                word = ir.IntType(64)
                function = builder.module.globals.get("llvm.x86.bmi.pdep.64") or ir.Function(
                    builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64")
                return builder.call(function, args)

            return types.int64(types.int64, types.int64), codegen

        @small
        def nth_bit(mask, n):
            """Return the n-th lowest set bit of the mask, n from 0, as a mask. Source: the deposit instruction of BMI2, pdep(1 << n, mask)."""
            return _deposit(np.int64(1) << n, mask)

    else:

        @small
        def nth_bit(mask, n):
            """Return the n-th lowest set bit of the mask, n from 0, as a mask."""
            for _ in range(n):
                mask &= mask - 1
            return mask & -mask

else:

    def count_cards(mask):
        """Return the number of cards in the mask."""
        return np.int64(int(mask).bit_count())

    def lowest_card(mask):
        """Return the number of the lowest card of a mask that is not empty."""
        return np.int64((int(mask) & -int(mask)).bit_length() - 1)

    def highest_card(mask):
        """Return the number of the highest card of a mask that is not empty."""
        return np.int64(int(mask).bit_length() - 1)

    def nth_bit(mask, n):
        """Return the n-th lowest set bit of the mask, n from 0, as a mask."""
        mask = int(mask)
        for _ in range(int(n)):
            mask &= mask - 1
        return np.int64(mask & -mask)


@small
def suit_mask(suit):
    """Return all cards of a suit C D H S = 0..3."""
    return SUIT << (suit * SUIT_BITS)


@small
def trump_mask(trump):
    """Return all trumps, none for no-trump."""
    return SUIT << (trump * SUIT_BITS) if trump < Denomination.NT else np.int64(0)


@small
def higher_cards(card):
    """Return the cards of the same suit above this one."""
    return (SUIT << ((card >> 4) * SUIT_BITS)) & (np.int64(-2) << card)


@small
def bit(card):
    """Return the mask of one card."""
    return np.int64(1) << card
