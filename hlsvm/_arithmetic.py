"""Sums, extremes and exponentials whose bits do not depend on the processor.

A compiler that may re-order a sum cuts it as the vectors of the processor suggest, and one
that may contract turns ``a * b + c`` into one rounding where the processor can. So kernels are
compiled without either, and their inner products are `dot`: eight partial sums side by side, an
order that every processor follows with the vectors it has, and that depends on the length alone.

The kernels of other files are compiled with what is in this one, and Numba's cache does not
see that it changed: whoever changes it deletes the ``__pycache__`` folders. Tests fix its bits.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic

_LANES = 8
_NO_NAN = ("nnan", "nsz")


def _elements(context, builder, kind, value):
    """Return the data of a one-dimensional array, and its length."""
    view = context.make_array(kind)(context, builder, value)
    return view.data, builder.extract_value(view.shape, 0)


def _halves(builder, vector, size):
    """Sum of the lanes: each half is added to the other until one is left."""
    none = ir.Constant(vector.type, ir.Undefined)
    while size > 1:
        size //= 2
        low, high = (
            builder.shuffle_vector(
                vector, none, ir.Constant(ir.VectorType(ir.IntType(32), size), list(lanes))
            )
            for lanes in (range(size), range(size, 2 * size))
        )
        vector = builder.fadd(low, high)
        none = ir.Constant(vector.type, ir.Undefined)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


@intrinsic
def dot(typing, a, b, zero):
    """Inner product of two contiguous arrays, taken in the precision of `zero`.

    Whole eights are summed in eight lanes, lane k taking elements k, k + 8, ...; the lanes are
    added as ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)), and the elements that are left over, one
    after another, are added last. `a` is as long as `b` or shorter.
    """
    for kind in (a, b):
        if not (isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"):
            return None

    def code(context, builder, signature, arguments):
        real = context.get_value_type(zero)
        lanes = ir.VectorType(real, _LANES)
        (left, n), (right, _) = (
            _elements(context, builder, kind, value)
            for kind, value in zip((a, b), arguments, strict=False)
        )

        def read(data, kind, at, size):
            """`size` elements from `at` on (0: one, not a vector), in the precision of the sum."""
            stored = context.get_data_type(kind.dtype)
            wanted = real
            pointer = builder.gep(data, [at])
            if size:
                stored, wanted = ir.VectorType(stored, size), lanes
                pointer = builder.bitcast(pointer, stored.as_pointer())
            value = builder.load(pointer, align=kind.dtype.bitwidth // 8)
            return value if stored == wanted else builder.fpext(value, wanted)

        def add(total, at, size):
            product = builder.fmul(read(left, a, at, size), read(right, b, at, size))
            builder.store(builder.fadd(builder.load(total), product), total)

        whole = builder.and_(n, ir.Constant(n.type, -_LANES))
        eights = cgutils.alloca_once_value(builder, ir.Constant(lanes, [0.0] * _LANES))
        rest = cgutils.alloca_once_value(builder, ir.Constant(real, 0.0))
        builder.store(ir.Constant(lanes, [0.0] * _LANES), eights)
        builder.store(ir.Constant(real, 0.0), rest)
        step = ir.Constant(n.type, _LANES)
        start = ir.Constant(n.type, 0)
        with cgutils.for_range_slice(builder, start, whole, step, n.type) as (at, _):
            add(eights, at, _LANES)
        one = ir.Constant(n.type, 1)
        with cgutils.for_range_slice(builder, whole, n, one, n.type) as (at, _):
            add(rest, at, 0)
        return builder.fadd(_halves(builder, builder.load(eights), _LANES), builder.load(rest))

    return zero(a, b, zero), code


@intrinsic
def sparse_dot(typing, data, indices, start, stop, w, length):
    """Inner product of a sparse row and `w` in double precision, to the bits of the dense `dot`.

    The row of `length` entries has ``data[start:stop]`` at ``indices[start:stop]``, ascending.
    Every product goes to the lane that `dot` would add it to; the products of zeros, which are
    left out, would change nothing.
    """
    for kind in (data, indices, w):
        if not (isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"):
            return None

    def code(context, builder, signature, arguments):
        kinds = signature.args
        real, index = ir.DoubleType(), ir.IntType(64)
        (values, _), (places, _), (weights, _) = (
            _elements(context, builder, kinds[k], arguments[k]) for k in (0, 1, 4)
        )
        none = ir.Constant(index, 0)
        lanes = cgutils.alloca_once(builder, ir.ArrayType(real, _LANES + 1))
        slots = [
            builder.gep(lanes, [none, ir.Constant(index, k)], inbounds=True)
            for k in range(_LANES + 1)
        ]
        for slot in slots:
            builder.store(ir.Constant(real, 0.0), slot)
        whole = builder.and_(arguments[5], ir.Constant(index, -_LANES))
        one = ir.Constant(index, 1)
        with cgutils.for_range_slice(builder, arguments[2], arguments[3], one, index) as (at, _):
            place = builder.load(builder.gep(places, [at]))
            if place.type != index:
                place = builder.sext(place, index)
            value = builder.load(builder.gep(values, [at]))
            if value.type != real:
                value = builder.fpext(value, real)
            product = builder.fmul(value, builder.load(builder.gep(weights, [place])))
            lane = builder.select(
                builder.icmp_signed("<", place, whole),
                builder.and_(place, ir.Constant(index, _LANES - 1)),
                ir.Constant(index, _LANES),
            )
            slot = builder.gep(lanes, [none, lane], inbounds=True)
            builder.store(builder.fadd(builder.load(slot), product), slot)
        sums = [builder.load(slot) for slot in slots]
        rest = sums.pop()
        while len(sums) > 1:
            half = len(sums) // 2
            pairs = zip(sums[:half], sums[half:], strict=True)
            sums = [builder.fadd(low, high) for low, high in pairs]
        return builder.fadd(sums[0], rest)

    ends = types.int64
    return types.float64(data, indices, ends, ends, w, ends), code


@intrinsic
def lesser(typing, a, b):
    """min(a, b) of two floats that are no NaN, in the one form that LLVM turns into vectors."""

    def code(context, builder, signature, arguments):
        less = builder.fcmp_ordered("<", *arguments, flags=_NO_NAN)
        return builder.select(less, *arguments, flags=_NO_NAN)

    return a(a, a), code


@intrinsic
def greater(typing, a, b):
    """max(a, b), likewise."""

    def code(context, builder, signature, arguments):
        more = builder.fcmp_ordered(">", *arguments, flags=_NO_NAN)
        return builder.select(more, *arguments, flags=_NO_NAN)

    return a(a, a), code


_LOG2_E = 1.4426950408889634
# log(2) in two parts, the first of which has few digits: its product with a whole number is exact.
_LOG_2 = (0.693147180369123816490, 1.90821492927058770002e-10)
_SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))


@njit(cache=True, nogil=True)
def exp(x):
    """e^x in double precision, to 2 units in the last place; 0 below e^-708."""
    if not x >= -708.0:
        return x if x != x else 0.0
    if x > 709.0:
        return np.inf
    n = np.floor(x * _LOG2_E + 0.5)
    r = (x - n * _LOG_2[0]) - n * _LOG_2[1]
    total = 0.0
    for term in _SERIES:
        total = total * r + term
    return total * np.int64((np.int64(n) + 1023) << 52).view(np.float64)
