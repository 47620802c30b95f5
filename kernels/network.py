"""Small networks on vectors of float32: one hidden layer of `UNITS` leaky units, the same answer to the last bit on every machine.

A network scores candidates (cards, bids, calls) of one decision. What the candidates share goes through the first layer once; every candidate adds its own
inputs. Inputs come in pairs. Sums run in a fixed order, pair by pair and halves onto halves; products are fused with sums, rounded once, on every machine; the
exponential is a polynomial. So plain NumPy gives the same bits (the functions without the JIT below).

Networks lie in the array of weights of the tables, two float32 to a float64; places (`at`, `to`) count float32 from its start. A network is rows of `UNITS`:
shared inputs, candidate inputs, output (`score`), or, in place of the output row, `OUTPUTS` for each unit and one row of biases (`expectation`).
"""

from typing import Any

import numpy as np

from kernels.compiled import JIT
from kernels.layout import OUTPUTS, UNITS

LEAK = 0.0625          # slope of a unit below 0
LN2 = 0.6931471805599453
EXP = (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720)      # e^x on -ln2/2..ln2/2: off by at most 1e-7
LOWEST = -80.0         # e^-80 counts as the least chance

if JIT:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    FLOAT, INT, INT32 = ir.FloatType(), ir.IntType(64), ir.IntType(32)
    ROW, WIDE = ir.VectorType(FLOAT, UNITS), ir.VectorType(FLOAT, OUTPUTS)

    def place(context, builder, array_type, array, at) -> Any:
        """Return the address of float32 number `at` of an array."""
        data = context.make_array(array_type)(context, builder, array).data
        return builder.gep(builder.bitcast(data, FLOAT.as_pointer()), [at])

    def load(builder, pointer, kind) -> Any:
        return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=4)

    def store(builder, value, pointer) -> None:
        builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=4)

    def spread(builder, number, kind) -> Any:
        """Return a vector of one number."""
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(INT32, 0))
        return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(INT32, kind.count), [0] * kind.count))

    def constant(kind, number) -> Any:
        return ir.Constant(kind, [float(np.float32(number))] * kind.count)

    def summed(builder, vector) -> Any:
        """Return the sum of a vector, halves onto halves; of 48 lanes the third 16 first onto the first."""
        lanes = vector.type.count
        if lanes == 48:
            parts = [builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(INT32, 16), list(range(k, k + 16)))) for k in (0, 16, 32)]
            vector = builder.fadd(builder.fadd(parts[0], parts[2]), parts[1])
            lanes = 16
        while lanes > 1:
            lanes //= 2
            low, high = (builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(INT32, lanes), list(range(k, k + lanes)))) for k in (0, lanes))
            vector = builder.fadd(low, high)
        return builder.extract_element(vector, ir.Constant(INT32, 0))

    def leaky(builder, vector, before=None) -> Any:
        """Return a vector times `LEAK` where it, or what was before the units, is below 0."""
        below = builder.fcmp_ordered("<", before or vector, constant(vector.type, 0.0))
        return builder.select(below, builder.fmul(vector, constant(vector.type, LEAK)), vector)

    def fused(builder, a, b, c) -> Any:
        """Return a * b + c, rounded once."""
        kind = a.type
        name = f"llvm.fma.v{kind.count}f32"
        function = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return builder.call(function, [a, b, c])

    def layer(builder, start, rows, inputs, n) -> Any:
        """Return start + the sum over n inputs of input times row, even and odd inputs apart: two chains of additions keep the machine busy."""
        totals = cgutils.alloca_once_value(builder, start), cgutils.alloca_once_value(builder, constant(ROW, 0.0))
        with cgutils.for_range(builder, builder.lshr(n, ir.Constant(INT, 1))) as loop:
            for odd, total in enumerate(totals):
                index = builder.add(builder.shl(loop.index, ir.Constant(INT, 1)), ir.Constant(INT, odd))
                value = builder.load(builder.gep(inputs, [index]), align=4)
                row = load(builder, builder.gep(rows, [builder.mul(index, ir.Constant(INT, UNITS))]), ROW)
                builder.store(fused(builder, spread(builder, value, ROW), row, builder.load(total)), total)
        return builder.fadd(builder.load(totals[0]), builder.load(totals[1]))

    def exponential(builder, vector) -> Any:
        """Return e to the power of a vector of numbers from `LOWEST` to 0: 2^k times a polynomial of what is left."""
        kind = vector.type
        whole = ir.VectorType(INT32, kind.count)
        scaled = builder.fmul(vector, constant(kind, 1 / LN2))
        number = builder.fptosi(builder.fsub(scaled, constant(kind, 0.5)), whole)      # rounds to the nearest: numbers are never above 0
        rest = builder.fsub(vector, builder.fmul(builder.sitofp(number, kind), constant(kind, LN2)))
        power = constant(kind, EXP[-1])
        for term in EXP[-2::-1]:
            power = fused(builder, power, rest, constant(kind, term))
        bits = builder.shl(builder.add(number, ir.Constant(whole, [127] * kind.count)), ir.Constant(whole, [23] * kind.count))
        return builder.fmul(power, builder.bitcast(bits, kind))

    def softmax(builder, vector) -> Any:
        """Return (e^(x - largest) of every lane, their sum)."""
        kind = vector.type
        lanes = [builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(INT32, 16), list(range(k, k + 16)))) for k in range(0, kind.count, 16)]
        most = lanes[0]
        for lane in lanes[1:]:
            most = builder.select(builder.fcmp_ordered(">", lane, most), lane, most)
        size = 16
        while size > 1:
            size //= 2
            low, high = (builder.shuffle_vector(most, most, ir.Constant(ir.VectorType(INT32, size), list(range(k, k + size)))) for k in (0, size))
            most = builder.select(builder.fcmp_ordered(">", high, low), high, low)
        largest = builder.extract_element(most, ir.Constant(INT32, 0))
        shifted = builder.fsub(vector, spread(builder, largest, kind))
        floor = constant(kind, LOWEST)
        powers = exponential(builder, builder.select(builder.fcmp_ordered("<", shifted, floor), floor, shifted))
        return powers, summed(builder, powers)

    def outputs_of(builder, weights, hidden) -> Any:
        """Return the outputs of a hidden layer: biases, then unit by unit, even and odd ones apart."""
        totals = [load(builder, builder.gep(weights, [ir.Constant(INT, UNITS * OUTPUTS)]), WIDE), constant(WIDE, 0.0)]
        for unit in range(UNITS):
            row = load(builder, builder.gep(weights, [ir.Constant(INT, unit * OUTPUTS)]), WIDE)
            value = spread(builder, builder.extract_element(hidden, ir.Constant(INT32, unit)), WIDE)
            totals[unit % 2] = fused(builder, value, row, totals[unit % 2])
        return builder.fadd(*totals)

    @intrinsic
    def shared(typingctx, weights, at, work, first, n, to):
        """Put into work[to : to + UNITS] the first layer of n inputs work[first :]; rows of weights from `at`."""

        def codegen(context, builder, signature, args):
            weights, at, work, first, n, to = args
            rows = place(context, builder, signature.args[0], weights, at)
            inputs = place(context, builder, signature.args[2], work, first)
            store(builder, layer(builder, constant(ROW, 0.0), rows, inputs, n), place(context, builder, signature.args[2], work, to))
            return context.get_dummy_value()

        return types.none(weights, types.int64, work, types.int64, types.int64, types.int64), codegen

    def hidden_of(context, builder, signature, args) -> Any:
        """Return the hidden layer before its units: the shared part work[start :] and a candidate's n inputs work[first :]."""
        weights, at, work, first, n, start = args[:6]
        rows = place(context, builder, signature.args[0], weights, at)
        inputs = place(context, builder, signature.args[2], work, first)
        base = load(builder, place(context, builder, signature.args[2], work, start), ROW)
        return layer(builder, base, rows, inputs, n)

    @intrinsic
    def score(typingctx, weights, at, work, first, n, start):
        """Return the score of a candidate with n inputs work[first :], rows of weights from `at`, and the shared first layer work[start :]."""

        def codegen(context, builder, signature, args):
            hidden = leaky(builder, hidden_of(context, builder, signature, args))
            after = builder.add(args[1], builder.mul(args[4], ir.Constant(INT, UNITS)))
            out = load(builder, place(context, builder, signature.args[0], args[0], after), ROW)
            return builder.fpext(summed(builder, builder.fmul(hidden, out)), ir.DoubleType())

        return types.float64(weights, types.int64, work, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def expectation(typingctx, weights, at, work, first, n, start, prices):
        """Return the mean of OUTPUTS numbers weights[prices :] under the chances that a candidate's inputs work[first :] give."""

        def codegen(context, builder, signature, args):
            hidden = leaky(builder, hidden_of(context, builder, signature, args))
            base = place(context, builder, signature.args[0], args[0], builder.add(args[1], builder.mul(args[4], ir.Constant(INT, UNITS))))
            powers, total = softmax(builder, outputs_of(builder, base, hidden))
            paid = load(builder, place(context, builder, signature.args[0], args[0], args[6]), WIDE)
            return builder.fpext(builder.fdiv(summed(builder, builder.fmul(powers, paid)), total), ir.DoubleType())

        return types.float64(weights, types.int64, work, types.int64, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def chances(typingctx, weights, at, work, first, n, start, to):
        """Put into work[to : to + OUTPUTS] the chances that a candidate's inputs give, and return nothing."""

        def codegen(context, builder, signature, args):
            hidden = leaky(builder, hidden_of(context, builder, signature, args))
            base = place(context, builder, signature.args[0], args[0], builder.add(args[1], builder.mul(args[4], ir.Constant(INT, UNITS))))
            powers, total = softmax(builder, outputs_of(builder, base, hidden))
            store(builder, builder.fdiv(powers, spread(builder, total, WIDE)), place(context, builder, signature.args[2], args[2], args[6]))
            return context.get_dummy_value()

        return types.none(weights, types.int64, work, types.int64, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def hidden(typingctx, weights, at, work, first, n, start, to):
        """Put into work[to : to + UNITS] the hidden layer of a candidate before its units."""

        def codegen(context, builder, signature, args):
            store(builder, hidden_of(context, builder, signature, args), place(context, builder, signature.args[2], args[2], args[6]))
            return context.get_dummy_value()

        return types.none(weights, types.int64, work, types.int64, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def back(typingctx, weights, at, slopes, slopes_at, work, layer_at, pull, to):
        """Put into work[to :] the pull on the hidden layer work[layer_at :] of an output row weights[at :] pulled by `pull`; add the row's own to slopes."""

        def codegen(context, builder, signature, args):
            weights, at, slopes, slopes_at, work, layer_at, pull, to = args
            before = load(builder, place(context, builder, signature.args[4], work, layer_at), ROW)
            pulled = spread(builder, builder.fptrunc(pull, FLOAT), ROW)
            row = load(builder, place(context, builder, signature.args[0], weights, at), ROW)
            grown = builder.fmul(pulled, row)
            store(builder, leaky(builder, grown, before), place(context, builder, signature.args[4], work, to))
            own = place(context, builder, signature.args[2], slopes, slopes_at)
            store(builder, builder.fadd(load(builder, own, ROW), builder.fmul(pulled, leaky(builder, before))), own)
            return context.get_dummy_value()

        return types.none(weights, types.int64, slopes, types.int64, work, types.int64, types.float64, types.int64), codegen

    @intrinsic
    def back_outputs(typingctx, weights, at, slopes, slopes_at, work, layer_at, pulls, to):
        """As `back` for OUTPUTS outputs that are pulled by work[pulls :]."""

        def codegen(context, builder, signature, args):
            weights, at, slopes, slopes_at, work, layer_at, pulls, to = args
            before = load(builder, place(context, builder, signature.args[4], work, layer_at), ROW)
            units = leaky(builder, before)
            pulled = load(builder, place(context, builder, signature.args[4], work, pulls), WIDE)
            base = place(context, builder, signature.args[0], weights, at)
            own = place(context, builder, signature.args[2], slopes, slopes_at)
            grown = constant(ROW, 0.0)
            for unit in range(UNITS):
                offset = ir.Constant(INT, unit * OUTPUTS)
                row = load(builder, builder.gep(base, [offset]), WIDE)
                grown = builder.insert_element(grown, summed(builder, builder.fmul(pulled, row)), ir.Constant(INT32, unit))
                target = builder.gep(own, [offset])
                activity = spread(builder, builder.extract_element(units, ir.Constant(INT32, unit)), WIDE)
                store(builder, builder.fadd(load(builder, target, WIDE), builder.fmul(activity, pulled)), target)
            target = builder.gep(own, [ir.Constant(INT, UNITS * OUTPUTS)])
            store(builder, builder.fadd(load(builder, target, WIDE), pulled), target)
            store(builder, leaky(builder, grown, before), place(context, builder, signature.args[4], work, to))
            return context.get_dummy_value()

        return types.none(weights, types.int64, slopes, types.int64, work, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def back_inputs(typingctx, slopes, at, work, first, n, pulls):
        """Add to n rows slopes[at :] their inputs work[first :] times the hidden layer's pulls work[pulls :]."""

        def codegen(context, builder, signature, args):
            slopes, at, work, first, n, pulls = args
            rows = place(context, builder, signature.args[0], slopes, at)
            inputs = place(context, builder, signature.args[2], work, first)
            pulled = load(builder, place(context, builder, signature.args[2], work, pulls), ROW)
            with cgutils.for_range(builder, n) as loop:
                number = builder.load(builder.gep(inputs, [loop.index]), align=4)
                row = builder.gep(rows, [builder.mul(loop.index, ir.Constant(INT, UNITS))])
                store(builder, builder.fadd(load(builder, row, ROW), builder.fmul(spread(builder, number, ROW), pulled)), row)
            return context.get_dummy_value()

        return types.none(slopes, types.int64, work, types.int64, types.int64, types.int64), codegen

else:

    def floats(array: Any) -> Any:
        """Return an array's memory as float32."""
        return array.view(np.float32)

    def summed(vector: Any) -> Any:
        """Return the sum of a vector, halves onto halves; of 48 lanes the third 16 first onto the first."""
        if len(vector) == 48:
            vector = (vector[:16] + vector[32:]) + vector[16:32]
        while len(vector) > 1:
            half = len(vector) // 2
            vector = vector[:half] + vector[half:]
        return vector[0]

    def leaky(vector: Any, before: Any = None) -> Any:
        return np.where((vector if before is None else before) < 0, vector * np.float32(LEAK), vector)

    def fused(a: Any, b: Any, c: Any) -> Any:
        """Return a * b + c of float32: the product is exact in float64, so but for one sum in 2^29 that lies between two roundings it is rounded once."""
        return (np.float64(a) * b + c).astype(np.float32)

    def layer(start: Any, rows: Any, inputs: Any) -> Any:
        totals = [start.copy(), np.zeros(UNITS, np.float32)]
        for k, (value, row) in enumerate(zip(inputs, rows.reshape(len(inputs), UNITS), strict=True)):
            totals[k % 2] = fused(value, row, totals[k % 2])
        return totals[0] + totals[1]

    def shared(weights, at, work, first, n, to):
        """Put into work[to : to + UNITS] the first layer of n inputs work[first :]; rows of weights from `at`."""
        work[to:to + UNITS] = layer(np.zeros(UNITS, np.float32), floats(weights)[at:at + n * UNITS], work[first:first + n])

    def hidden_of(weights, at, work, first, n, start):
        return layer(work[start:start + UNITS], floats(weights)[at:at + n * UNITS], work[first:first + n])

    def score(weights, at, work, first, n, start):
        """Return the score of a candidate with n inputs work[first :], rows of weights from `at`, and the shared first layer work[start :]."""
        out = at + n * UNITS
        return float(summed(leaky(hidden_of(weights, at, work, first, n, start)) * floats(weights)[out:out + UNITS]))

    def powers_of(weights, at, work, first, n, start):
        units = leaky(hidden_of(weights, at, work, first, n, start))
        rows = floats(weights)[at + n * UNITS:at + n * UNITS + (UNITS + 1) * OUTPUTS].reshape(UNITS + 1, OUTPUTS)
        totals = [rows[UNITS].copy(), np.zeros(OUTPUTS, np.float32)]
        for unit in range(UNITS):
            totals[unit % 2] = fused(units[unit], rows[unit], totals[unit % 2])
        total = totals[0] + totals[1]
        shifted = np.maximum(total - total.max(), np.float32(LOWEST))
        number = (shifted * np.float32(1 / LN2) - np.float32(0.5)).astype(np.int32)
        rest = shifted - number.astype(np.float32) * np.float32(LN2)
        power = np.full(OUTPUTS, EXP[-1], np.float32)
        for term in EXP[-2::-1]:
            power = fused(power, rest.astype(np.float64), np.float32(term))
        powers = power * ((number + 127) << 23).astype(np.int32).view(np.float32)
        return powers, summed(powers)

    def expectation(weights, at, work, first, n, start, prices):
        """Return the mean of OUTPUTS numbers weights[prices :] under the chances that a candidate's inputs work[first :] give."""
        powers, total = powers_of(weights, at, work, first, n, start)
        return float(summed(powers * floats(weights)[prices:prices + OUTPUTS]) / total)

    def chances(weights, at, work, first, n, start, to):
        """Put into work[to : to + OUTPUTS] the chances that a candidate's inputs give, and return nothing."""
        powers, total = powers_of(weights, at, work, first, n, start)
        work[to:to + OUTPUTS] = powers / total

    def hidden(weights, at, work, first, n, start, to):
        """Put into work[to : to + UNITS] the hidden layer of a candidate before its units."""
        work[to:to + UNITS] = hidden_of(weights, at, work, first, n, start)

    def back(weights, at, slopes, slopes_at, work, layer_at, pull, to):
        """Put into work[to :] the pull on the hidden layer work[layer_at :] of an output row weights[at :] pulled by `pull`; add the row's own to slopes."""
        before = work[layer_at:layer_at + UNITS].copy()
        grown = np.float32(pull) * floats(weights)[at:at + UNITS]
        work[to:to + UNITS] = leaky(grown, before)
        floats(slopes)[slopes_at:slopes_at + UNITS] += np.float32(pull) * leaky(before)

    def back_outputs(weights, at, slopes, slopes_at, work, layer_at, pulls, to):
        """As `back` for OUTPUTS outputs that are pulled by work[pulls :]."""
        before = work[layer_at:layer_at + UNITS].copy()
        pulled = work[pulls:pulls + OUTPUTS].copy()
        rows = floats(weights)[at:at + UNITS * OUTPUTS].reshape(UNITS, OUTPUTS)
        grown = np.array([summed(pulled * row) for row in rows], np.float32)
        own = floats(slopes)[slopes_at:slopes_at + (UNITS + 1) * OUTPUTS].reshape(UNITS + 1, OUTPUTS)
        own[:UNITS] += leaky(before)[:, None] * pulled
        own[UNITS] += pulled
        work[to:to + UNITS] = leaky(grown, before)

    def back_inputs(slopes, at, work, first, n, pulls):
        """Add to n rows slopes[at :] their inputs work[first :] times the hidden layer's pulls work[pulls :]."""
        rows = floats(slopes)[at:at + n * UNITS].reshape(n, UNITS)
        rows += work[first:first + n, None] * work[pulls:pulls + UNITS]
