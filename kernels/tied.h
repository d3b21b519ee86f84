// Sorts a window of short words some of which tie in all that they have above the row: floats of four bytes near zero, which lie closer than the
// steps of their map. They are few, and compared by their numbers, fetched by row.
#pragma once
#include "window.h"

template <class Finish> struct Tied : Finish {
	using Finish::b, Finish::control, Finish::counters, Finish::countersAt, Finish::place, Finish::row_of, Finish::stage;
	static const u32 threads = Finish::threads, step = threads * 4; // in bytes, from a bin of a thread's list to the next

	DEVICE Tied(const Buckets& b, const volatile Span* span) : Finish(b, shared_memory(), span) {}

	static APART void sort(const Buckets* b, const volatile Span* span) {
		Tied t(*b, span);
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

	// The bins of a thread that have more than one row; the end of the list.
	DEVICE u32 list_bins(u32 end) const {
		UNROLL for (u32 bin : place) {
			if ((bin & 0xffff) >= 4) store_shared(end, bin), end += step;
		}
		return end;
	}
	// All bins are ordered by their words, and the numbers that will be needed are sent for. The bins with ties stay in the list; large ones are
	// left to the block.
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
	// Rows that tie are in their order: those of equal numbers stay.
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
	// By the block, with the numbers where the counters were.
	DEVICE void order_large(u32 run) const {
		u32 *at = stage + (run & 0xffff), *numbers = counters + (run & 0xffff), rows = run >> 16;
		for (u32 k = thread_index(); k < rows; k += threads) numbers[k] = number_of(at[k]);
		sync_block();
		sort_bitonic<BlockTeam<threads>>(rows, [&](u32 x, u32 y) {
			u32 word = at[x], other = at[y], number = numbers[x];
			bool behind = tie(word, other) && number != numbers[y] ? number > numbers[y] : word > other;
			if (behind) at[x] = other, at[y] = word, numbers[x] = numbers[y], numbers[y] = number;
		});
	}
};
