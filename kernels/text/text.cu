#include "text/strings.h"

// String columns: the bytes of a column are contiguous on the device, and starts holds the start of each row.

const int TEXT_ITEMS = TEXT_TILE / STREAM_THREADS;

DEVICE u64 offset_at(const void* offsets, u64 width, u64 i) {
	return width == 4 ? ((const u32*)offsets)[i] : ((const u64*)offsets)[i];
}

// text_starts converts the offsets of a chunk to places in the bytes of the whole column.
KERNEL(text_starts, STREAM_THREADS, 1)(const void* offsets, u64 width, u64 n, u64 base, u64* starts) {
	u64 step = (u64)grid_blocks() * STREAM_THREADS, first = offset_at(offsets, width, 0);
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i <= n; i += step)
		starts[i] = base + offset_at(offsets, width, i) - first;
}

// text_lengths computes the bytes of each row of the result, and their sum for each tile. Nulls have none.
KERNEL(text_lengths, STREAM_THREADS, 1)(const u64* starts, const u32* validity, u64 bit, const u32* rows, u64 out,
                                        u32* lengths, u64* sums) {
	u64* warps = (u64*)shared_memory();
	u64 first = (u64)block_index() * TEXT_TILE, sum = 0;
	UNROLL for (int k = 0; k < TEXT_ITEMS; k++) {
		u64 i = first + k * STREAM_THREADS + thread_index();
		if (i >= out) continue;
		u64 row = load(rows + i);
		bool valid = !validity || bit_at(validity, bit + row);
		u32 length = valid ? (u32)(starts[row + 1] - starts[row]) : 0;
		lengths[i] = length;
		sum += length;
	}
	sum = warp_sum(sum);
	if (lane_index() == 0) warps[warp_index()] = sum;
	sync_block();
	if (thread_index() >= 32) return;
	sum = warp_sum(lane_index() < STREAM_THREADS / 32 ? warps[lane_index()] : 0);
	if (lane_index() == 0) sums[block_index()] = sum;
}

// text_sums turns the sums of tiles into the starts of their bytes, followed by the sum of all.
KERNEL(text_sums, TEXT_SUMS_THREADS, 1)(u64* sums, u64 tiles) {
	u64* warps = (u64*)shared_memory();
	u64 before = 0, total;
	for (u64 first = 0; first < tiles; first += TEXT_SUMS_THREADS) {
		u64 i = first + thread_index();
		u64 sum = block_exclusive_sum<TEXT_SUMS_THREADS>(i < tiles ? sums[i] : 0, warps, &total);
		if (i < tiles) sums[i] = before + sum;
		before += total;
	}
	if (thread_index() == 0) sums[tiles] = before;
}

// text_offsets writes the offsets of the result.
KERNEL(text_offsets, STREAM_THREADS, 1)(const u32* lengths, u64 out, const u64* sums, u64 width, void* offsets) {
	u64* warps = (u64*)shared_memory();
	u64 first = (u64)block_index() * TEXT_TILE, end = sums[block_index()], total;
	if (first == 0 && thread_index() == 0) width == 4 ? (void)(((u32*)offsets)[0] = 0) : (void)(((u64*)offsets)[0] = 0);
	for (int k = 0; k < TEXT_ITEMS; k++) {
		u64 i = first + k * STREAM_THREADS + thread_index(), length = i < out ? lengths[i] : 0;
		u64 offset = end + block_exclusive_sum<STREAM_THREADS>(length, warps, &total) + length;
		if (i < out && width == 4) ((u32*)offsets)[i + 1] = (u32)offset;
		if (i < out && width == 8) ((u64*)offsets)[i + 1] = offset;
		end += total;
	}
}

// The last row of lo..hi whose bytes begin at or before a place.
DEVICE u64 row_of(const void* offsets, u64 width, u64 lo, u64 hi, u64 place) {
	while (lo < hi) {
		u64 middle = lo + (hi - lo + 1) / 2;
		if (offset_at(offsets, width, middle) <= place) lo = middle;
		else hi = middle - 1;
	}
	return lo;
}

// text_copy writes the bytes of the result, one word per thread at a time, so that long strings keep as many threads
// busy as short ones.
KERNEL(text_copy, STREAM_THREADS, 1)
(const u64* starts, const u32* rows, const void* offsets, u64 width, u64 out, const u8* data, u64* dst, u64 bytes) {
	const u64 piece = 8 * STREAM_THREADS * TEXT_ITEMS;
	for (u64 first = block_index() * piece; first < bytes; first += grid_blocks() * piece) {
		u64 end = first + piece < bytes ? first + piece : bytes;
		u64 lo = row_of(offsets, width, 0, out - 1, first), hi = row_of(offsets, width, lo, out - 1, end - 1);
		for (u64 place = first + 8 * thread_index(); place < end; place += 8 * STREAM_THREADS) {
			u64 i = row_of(offsets, width, lo, hi, place), begins = offset_at(offsets, width, i),
			    ends = offset_at(offsets, width, i + 1);
			const u8* from = data + starts[rows[i]];
			u64 word = 0;
			if (place + 8 <= ends) {
				word = unaligned_word(from + (place - begins));
			} else {
				for (u32 k = 0; k < 8 && place + k < bytes; k++) {
					while (place + k >= ends) {
						begins = ends, ends = offset_at(offsets, width, ++i + 1);
						from = data + starts[rows[i]];
					}
					word |= (u64)from[place + k - begins] << (8 * k);
				}
			}
			dst[place / 8] = word;
		}
	}
}
