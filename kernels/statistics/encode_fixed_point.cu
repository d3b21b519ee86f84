#include "common/fixed_point.h"
#include "common/number.h"
#include "common/value_map.h"

// The codes of a column of fixed-point floats.
template <class Word> struct FixedPointEncoder {
	static const int items = 8;
	const Field* f;
	const FixedPoint map;
	const u64 first, last;
	const u32 mul, bias, nan, null;
	u32 any = 0, notAll = 0;
	bool fits = true;

	DEVICE explicit FixedPointEncoder(const Field* f)
	    : f(f), map(as_double(f->base[1])), first(f->base[2]), last(f->last[1]), mul((u32)f->mul), bias((u32)f->bias),
	      nan((u32)f->nan), null((u32)f->null) {}

	DEVICE u32 code(Word pattern) {
		u64 integer;
		if (is_nan(pattern)) return nan;
		fits &= map.make(pattern, &integer) && integer - first <= last;
		return bias + (u32)(integer - first) * mul;
	}
	// Encodes the rows of a warp, 32 * items from a row on.
	DEVICE void encode(u64 from, u64 n, u32* codes) {
		const Word* values = (const Word*)f->values;
		Word x[items];
		UNROLL for (int i = 0; i < items; i++) {
			const u64 row = from + 32 * i + lane_index();
			x[i] = load(values + (row < n ? row : n - 1));
		}
		const u32 valid = load_validity<items>(f, n, from);
		UNROLL for (int i = 0; i < items; i++) {
			const u64 row = from + 32 * i + lane_index();
			if (row >= n) continue;
			const u32 c = valid >> i & 1 ? code(x[i]) : null;
			any |= c, notAll |= ~c;
			codes[row] = c;
		}
	}
};

template <class Word> DEVICE void encode_fixed_point(const Field* f, u64 n, u32* codes, FixedPointState* state) {
	FixedPointEncoder<Word> encoder(f);
	const u64 rows = 32 * encoder.items, step = (u64)grid_blocks() * (STREAM_THREADS / 32) * rows;
	for (u64 from = ((u64)block_index() * (STREAM_THREADS / 32) + warp_index()) * rows; from < n; from += step) {
		if (vote(load_relaxed(&state->misfit) != 0)) break;
		encoder.encode(from, n, codes);
		if (vote(!encoder.fits)) {
			store_relaxed(&state->misfit, 1u);
			break;
		}
	}
	const u32 any = warp_or(encoder.any), notAll = warp_or(encoder.notAll);
	if (lane_index() == 0) atomic_or(&state->any, any), atomic_or(&state->notAll, notAll);
}

// encode_fixed_point makes codes of 4 bytes of fixed-point floats, as far as all of them are.
KERNEL(encode_fixed_point, STREAM_THREADS, 1)(const Field* f, u64 n, u32* codes, FixedPointState* state, u64* status) {
	if (f->width == 4) encode_fixed_point<u32>(f, n, codes, state);
	else encode_fixed_point<u64>(f, n, codes, state);
	if (!is_last_block(&state->ticket, (u32*)shared_memory()) || thread_index() != 0) return;
	const u64 varying = load_relaxed(&state->any) & load_relaxed(&state->notAll);
	store_system(status, load_relaxed(&state->misfit) ? +STATUS_DECLINED : STATUS_ACCEPTED | varying * STATUS_CONSTANT);
}
