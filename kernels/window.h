// Sorts a window of records in shared memory: rows are counted in bins by their bits behind the bucket, staged bin by bin, and the
// few rows of a bin are compared. A staged word is the rest of the prefix and the row, in 32 bits.
#pragma once
#include "bins.h"
#include "buckets.h"

// A Span is some whole buckets next to one another: records first..first+rows-1, prefixes from low on.
struct Span {
	u32 first, rows, low, binShift; // bits of the prefix behind the bin
};

template <int items, int binBits, bool wide, bool full> struct Finish {
	static const int threads = FINISH_THREADS, room = threads * items, bins = 1 << binBits;
	static const int scanWarps = bins / 128 < threads / 32 ? bins / 128 : threads / 32, groups = bins / 128 / scanWarps;
	static const int counterWords = (bins > room ? bins : room) + 32;
	static const int bytes = (room + 32 + counterWords) * 4 + 256 + (wide ? room * 4 : 0);

	u32 *stage, *counters, *control, *runs; // counters: later the lists of larger bins
	u32 word[items], place[items];

	DEVICE explicit Finish(u8* memory)
	    : stage((u32*)memory), counters(stage + room + 32), control(counters + counterWords), runs(control + 64) {}

	// Rows sit at offset..offset+rows-1 of the block's items, so that loads and stores are whole lines of memory. In a full window only
	// the first and the last two items of a thread can be missing.
	DEVICE static bool is_full(const Span& s) { return s.rows + s.first % 32 >= (items - 2) * threads; }
	DEVICE static bool inside(int i, u32 offset, u32 rows) {
		if (full && i > 0 && i < items - 2) return true;
		return i * threads + thread_index() - offset < rows;
	}

	DEVICE void load_records(const u64* records, const Span& s, u32 offset) {
		const u64* in = records + s.first - offset + thread_index();
		UNROLL for (int i = 0; i < items; i++) {
			u64 r = inside(i, offset, s.rows) ? load_once(in + i * threads) : 0;
			word[i] = (u32)r;
			place[i] = (u32)(r >> 32);
		}
		for (u32 i = thread_index(); i < bins + 32; i += threads) counters[i] = 0;
		if (thread_index() == 0) control[40] = 0;
		sync_block();
	}

	// place becomes the bin, and above it the row's rank among the rows of its bin.
	DEVICE void count(const Span& s, u32 offset) {
		u32 factor = s.binShift ? 1u << (32 - s.binShift) : 0;
		UNROLL for (int i = 0; i < items; i++) {
			u32 rest = place[i] - s.low, bin = rest >> s.binShift;
			word[i] += rest * factor;
			if (!inside(i, offset, s.rows)) bin = bins + lane_index();
			place[i] = bin + (atomic_add(counters + bin, 1u) << 16); // a sum: of an OR the compiler keeps both parts
		}
		sync_block();
	}

	// A counter becomes the bin's start and, below it, its rows less one. Each of the scanning warps has groups of 128 bins.
	// Returns false if a bin is too large; it must be the same for the whole block.
	DEVICE bool scan(const Span& s) {
		u32 sums[groups], sizes[groups], total = 0, seen = 0;
		u32* mine = counters + warp_index() * groups * 128 + lane_index() * 4;
		if (warp_index() < scanWarps) {
			UNROLL for (int g = 0; g < groups; g++) {
				u32 c[4], ofGroup;
				UNROLL for (int k = 0; k < 4; k++) c[k] = mine[g * 128 + k], seen |= c[k];
				sizes[g] = c[0] | c[1] << 8 | c[2] << 16 | c[3] << 24;
				sums[g] = total + warp_exclusive_sum(c[0] + c[1] + c[2] + c[3], &ofGroup);
				total += ofGroup;
			}
			if (lane_index() == 0) control[warp_index()] = total;
		}
		if (sync_block_or(seen > LARGEST_BIN)) return false;
		if (warp_index() < scanWarps) {
			u32 before = (u32)warp_sum(lane_index() < warp_index() ? control[lane_index()] : 0);
			UNROLL for (int g = 0; g < groups; g++) {
				u32 start = before + sums[g];
				UNROLL for (int k = 0; k < 4; k++) {
					u32 rows = sizes[g] >> 8 * k & 255;
					mine[g * 128 + k] = (start << 16) + rows - 1;
					start += rows;
				}
			}
		}
		if (thread_index() < 32) counters[bins + thread_index()] = s.rows << 16 | 0xffff; // rows outside go behind
		sync_block();
		return true;
	}

	// The row that came last to its bin sees to the bin's order: place is the bin's start and size, 0 for all other rows.
	DEVICE void stage_rows() {
		UNROLL for (int i = 0; i < items; i++) {
			u32 bin = counters[place[i] & 0xffff], rank = place[i] >> 16;
			stage[(bin >> 16) + rank] = word[i];
			place[i] = rank == (bin & 0xffff) ? bin : 0;
		}
		sync_block();
	}

	DEVICE void order_bins(const Span& s) {
		u32 larger = 0;
		UNROLL for (int i = 0; i < items; i++) {
			u32 start = place[i] >> 16, more = place[i] & 0xffff;
			bool tie = order_pair(stage + start, word[i], more == 1, 32 - s.binShift);
			if (wide && tie) runs[atomic_add(control + 40, 1u)] = start | 2 << 16;
			if (more > 1) counters[larger++ * threads + thread_index()] = place[i]; // each thread has a list
		}
		ROLLED while (larger > 0) {
			u32 bin = counters[--larger * threads + thread_index()], rows = (bin & 0xffff) + 1;
			if (rows <= 8) {
				order_few(stage + (bin >> 16), rows);
			} else {
				order_many(stage + (bin >> 16), rows);
			}
			if (wide) list_runs(bin >> 16, rows, s);
		}
		sync_block();
	}

	// Rows of a bin that tie in all bits of the prefix.
	DEVICE void list_runs(u32 at, u32 rows, const Span& s) {
		u32 shift = 32 - s.binShift;
		for (u32 k = 0; k + 1 < rows;) {
			u32 end = k + 1;
			while (end < rows && ties(stage[at + k], stage[at + end], shift)) end++;
			if (end > k + 1) runs[atomic_add(control + 40, 1u)] = (at + k) | (end - k) << 16;
			k = end;
		}
	}
	DEVICE static bool ties(u32 a, u32 b, u32 shift) { return shift == 32 || (a ^ b) >> shift == 0; }

	// Orders runs by the rest of the code and the row: a thread for each.
	DEVICE void order_runs(const Buckets* b, u32 rowMask) {
		const Field* f = (const Field*)b->field;
		u32 count = control[40];
		for (u32 o = thread_index(); o < count; o += threads) {
			u32 *at = stage + (runs[o] & 0xffff), rows = runs[o] >> 16;
			for (u32 k = 1; k < rows; k++) {
				u32 row = at[k] & rowMask, j = k;
				u64 rest = NumberedRow(f, row).number;
				for (; j > 0; j--) {
					u32 other = at[j - 1] & rowMask;
					u64 otherRest = NumberedRow(f, other).number;
					if (otherRest < rest || (otherRest == rest && other < row)) break;
					at[j] = other;
				}
				at[j] = row;
			}
		}
		if (count) sync_block();
	}

	DEVICE void write(u32* out, const Span& s, u32 offset, u32 rowMask) {
		u32* to = out + s.first - offset + thread_index();
		const u32* from = stage + thread_index() - offset;
		UNROLL for (int i = 0; i < items; i++) {
			if (inside(i, offset, s.rows)) to[i * threads] = from[i * threads] & rowMask;
		}
	}

	// Returns false, for the whole block, if a bin is too large.
	DEVICE bool sort(const Buckets* b, const Span& s) {
		u32 offset = s.first % 32, rowMask = s.binShift ? (1u << (32 - s.binShift)) - 1 : ~0u;
		load_records((const u64*)b->records[b->second ? 1 : 0], s, offset);
		count(s, offset);
		if (!scan(s)) return false;
		stage_rows();
		order_bins(s);
		if (wide) order_runs(b, rowMask);
		write((u32*)b->rows, s, offset, rowMask);
		return true;
	}
};
