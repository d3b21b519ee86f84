#include "common/device.h"

template <int bytes> struct alignas(16) Bytes {
	u64 word[bytes / 8];
};

const int GATHER_ITEMS = GATHER_TILE / STREAM_THREADS; // random loads of a thread in flight

template <class Value, class Load>
DEVICE void gather(const Value* values, const u32* rows, u64 out, Value* dst, Load load_value) {
	for (u64 first = (u64)block_index() * GATHER_TILE + thread_index(); first < out;
	     first += (u64)grid_blocks() * GATHER_TILE) {
		u32 row[GATHER_ITEMS];
		UNROLL for (int k = 0; k < GATHER_ITEMS; k++) {
			u64 i = first + k * STREAM_THREADS;
			row[k] = i < out ? load(rows + i) : 0;
		}
		Value v[GATHER_ITEMS];
		UNROLL for (int k = 0; k < GATHER_ITEMS; k++) v[k] = load_value(values + row[k]);
		UNROLL for (int k = 0; k < GATHER_ITEMS; k++) {
			u64 i = first + k * STREAM_THREADS;
			if (i < out) dst[i] = v[k];
		}
	}
}

#define GATHER(name, Value, load_value) \
	KERNEL(name, STREAM_THREADS, 1)(const Value* values, const u32* rows, u64 out, Value* dst) { \
		gather(values, rows, out, dst, [](const Value* p) { return load_value(p); }); \
	}

GATHER(gather_1, u8, *)
GATHER(gather_2, u16, *)
GATHER(gather_4, u32, *)
GATHER(gather_8, u64, *)
GATHER(gather_16, Bytes<16>, *)
GATHER(gather_32, Bytes<32>, *)
// Values in the order of windows.
GATHER(gather_window_4, u32, load_of_line)
GATHER(gather_window_8, u64, load_of_line)

// gather_bytes copies values of any width: neighbouring threads copy neighbouring bytes.
KERNEL(gather_bytes, STREAM_THREADS, 1)(const u8* values, u64 width, const u32* rows, u64 out, u8* dst) {
	for_each(out * width, [&](u64 i) { dst[i] = values[load(rows + i / width) * width + i % width]; });
}
