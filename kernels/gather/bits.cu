#include "common/number.h"

// gather_bits moves bits of a bitmap: a warp makes a word by one vote.
KERNEL(gather_bits, STREAM_THREADS, 1)(const u32* bits, u64 bit, const u32* rows, u64 out, u32* dst, u64* set) {
	u64 ones = 0, step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 first = (u64)block_index() * STREAM_THREADS + warp_index() * 32; first < out; first += step) {
		u64 i = first + lane_index();
		u32 word = vote(i < out && bit_at(bits, bit + load(rows + i)));
		if (lane_index() == 0) dst[first / 32] = word, ones += count_ones(word);
	}
	if (ones) atomic_add(set, ones);
}

// copy_bits lays n bits into a bitmap, from bit dstBit on. A thread has a word of it; a word at the edge may belong to
// another chunk as well, so bits are OR-ed in.
KERNEL(copy_bits, STREAM_THREADS, 1)(const u32* src, u64 srcBit, u64 n, u32* dst, u64 dstBit) {
	u64 words = (dstBit + n + 31) / 32, step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 w = dstBit / 32 + (u64)block_index() * STREAM_THREADS + thread_index(); w < words; w += step) {
		u64 first = w * 32, end = dstBit + n, low = first > dstBit ? first : dstBit,
		    high = first + 32 < end ? first + 32 : end; // bits low..high-1
		u32 bits = src ? bits_at(src, srcBit + (low - dstBit), srcBit + n) : ALL_LANES;
		u32 kept = (u32)((1ull << (high - low)) - 1);
		atomic_or(dst + w, (bits & kept) << (low - w * 32));
	}
}
