// Sorts a range of short words of which some tie in all bits above the row: floats of four bytes near zero, which are
// closer than the steps of their map. There are few, and their numbers are read by row to compare them.
#pragma once
#include "bucketsort/bin_sorter.h"

template <class BinSorter> struct Tied : BinSorter {
	using BinSorter::b, BinSorter::control, BinSorter::counters, BinSorter::countersAt, BinSorter::place,
	    BinSorter::row_of, BinSorter::stage;
	static const u32 threads = BinSorter::threads, step = threads * 4; // step: bytes from a bin of a list to the next

	DEVICE Tied(const Buckets& b, const volatile BucketRange* range) : BinSorter(b, shared_memory(), range) {}

	static NOINLINE void sort(const Buckets* b, const volatile BucketRange* range) {
		Tied t(*b, range);
		t.load_records();
		t.count();
		t.scan();
		t.stage_rows();
		u32 list = t.countersAt + thread_index() * 4, end = t.order_words(list, t.list_bins(list));
		t.order_numbers(list, end);
		sync_block();
		for (u32 o = 0; o < t.control[CONTROL_LARGE]; o++) t.order_large(t.control[CONTROL_LIST + o]);
		t.write();
	}

	DEVICE bool tie(u32 x, u32 y) const { return (x ^ y) >> b.rowBits == 0; }
	DEVICE u32 number_of(u32 word) const { return number_at<u32>(&b.field, row_of(word)); }
	DEVICE void fetch(u32 word) const { fetch_soon(b.field.values + row_of(word) * 4ull); }

	// Lists the bins of a thread that have more than one row; returns the end of the list.
	DEVICE u32 list_bins(u32 end) const {
		UNROLL for (u32 bin : place) {
			if ((bin & 0xffff) >= 4) store_shared(end, bin), end += step;
		}
		return end;
	}
	// Orders all bins by their words, and prefetches the numbers that will be needed. The bins with ties stay in the
	// list; the block orders large ones.
	DEVICE u32 order_words(u32 list, u32 end) const {
		u32 kept = list;
		ROLLED for (u32 o = list; o != end; o += step) {
			u32 bin = load_shared(o), rows = (bin & 0xffff) / 4 + 1, *at = stage + (bin >> 18);
			bool ties = false;
			if (rows > WARP_BIN) {
				control[CONTROL_LIST + atomic_add(control + CONTROL_LARGE, 1u)] = bin >> 18 | rows << 16;
				continue;
			}
			ROLLED for (u32 k = 1; k < rows; k++) {
				u32 word = at[k], j = k;
				ROLLED for (; j > 0 && at[j - 1] > word; j--) at[j] = at[j - 1];
				at[j] = word;
			}
			ROLLED for (u32 k = 1; k < rows; k++) {
				if (tie(at[k - 1], at[k])) fetch(at[k - 1]), fetch(at[k]), ties = true;
			}
			if (ties) store_shared(kept, bin), kept += step;
		}
		return kept;
	}
	// Orders rows that tie by their numbers. Rows of equal numbers keep their order.
	DEVICE void order_numbers(u32 list, u32 end) const {
		ROLLED for (u32 o = list; o != end; o += step) {
			u32 bin = load_shared(o), rows = (bin & 0xffff) / 4 + 1, *at = stage + (bin >> 18);
			ROLLED for (u32 k = 1; k < rows; k++) {
				u32 word = at[k], j = k;
				if (!tie(at[j - 1], word)) continue;
				u32 number = number_of(word);
				ROLLED for (; j > 0 && tie(at[j - 1], word) && number_of(at[j - 1]) > number; j--) at[j] = at[j - 1];
				at[j] = word;
			}
		}
	}
	// Orders a large bin by the block; the numbers take the memory of the counters.
	DEVICE void order_large(u32 run) const {
		u32 *at = stage + (run & 0xffff), *numbers = counters + (run & 0xffff), rows = run >> 16;
		for (u32 k = thread_index(); k < rows; k += threads) numbers[k] = number_of(at[k]);
		sync_block();
		sort_bitonic<BlockTeam<threads>>(rows, [&](u32 x, u32 y) {
			u32 word = at[x], other = at[y], number = numbers[x];
			bool after = tie(word, other) && number != numbers[y] ? number > numbers[y] : word > other;
			if (after) at[x] = other, at[y] = word, numbers[x] = numbers[y], numbers[y] = number;
		});
	}
};
