// One pass of the partition: rows are scattered to bins in any order. The rank of a row is the result of the atomic
// addition to its bin's counter, and the place of a bin in the output is the result of one addition to its cursor:
// there are no ballots and no look-back, since no order is kept.
#pragma once
#include "sample/pages.h"

// A Record is key << 32 | low in memory. As one word the compiler would keep it in two registers throughout.
struct alignas(8) Record {
	u32 low, key;
};

// The items of a thread are records whose keys, their leading 32 bits, are in registers.
template <int items> struct RecordKeys {
	typedef Record Staged;
	u32 key[items];

	DEVICE RecordKeys() {}
	DEVICE static u32 key_of(const Record& r) { return r.key; }
	DEVICE u32 bin_of_item(int i, u32 shift, u32 mask) const { return key[i] >> shift & mask; }
	// Not 0 if the bin of some item is not that of the first item of the first lane.
	DEVICE u32 bins_differ(u32 shift, u32 mask) const {
		u32 one = shuffle(key[0], 0), differ = 0;
		UNROLL for (int i = 0; i < items; i++) differ |= key[i] ^ one;
		return differ >> shift & mask;
	}
};

// A Scatterer has one tile in registers. Keys has the key and the bin of each item, and the type that is staged.
template <int threads, int items, int bins, class Keys = RecordKeys<items>> struct Scatterer : Keys {
	typedef typename Keys::Staged Staged;
	static const int tile = threads * items;
	static const int scanners = bins < power_up_to(threads) ? bins : power_up_to(threads),
	                 each = bins / scanners; // bins of a scanning thread
	static_assert(each == 1 || each == 4, "bins are read one by one or four at a time");

	Staged* stage;
	u32 *counters, *starts, *sums; // counters: later the difference of a place in the output and a place in the stage
	u32 shift, mask;               // of the bin in a key
	u32 ranks[(items + 1) / 2], room[each];

	template <class... Of>
	DEVICE Scatterer(u8* memory, u32 shift, u32 mask, Of... of)
	    : Keys(of...), stage((Staged*)memory), counters((u32*)(memory + tile * sizeof(Staged))),
	      starts(counters + bins + 4), sums(starts + bins + 4), shift(shift), mask(mask) {}

	// Must precede scatter.
	DEVICE void clear() {
		UNROLL for (int k = 0; k < bins; k += threads) {
			if (k + threads <= bins || k + thread_index() < bins) counters[k + thread_index()] = 0;
		}
	}

	// Stages the records of a tile, bin by bin. inside(i) reports whether item i is a record (whole: all are),
	// staged(i) is that record; cursors and pages are those of the bins.
	template <bool whole, class Inside, class Item>
	DEVICE void scatter(const Buckets& b, const Pages& pages, u32* cursors, const Inside& inside, const Item& staged) {
		sync_block();
		count<whole>(inside);
		sync_block();
		place(cursors);
		put<whole>(inside, staged);
		aim(b, pages);
		sync_block();
	}
	DEVICE u32 records() const { return starts[bins]; } // valid after scatter

	// The loop is rolled, and the next record is read before this one is stored. made converts a staged record to what
	// is written.
	template <bool whole, class Made> DEVICE void write(Staged* out, const Made& made) {
		u32 at = thread_index(), end = whole ? tile : records();
		Staged* to = in_register(out);
		if (!whole && at >= end) return;
		Staged next = stage[at];
		ROLLED for (; at < end; at += threads) {
			Staged record = next;
			if (at + threads < end) next = stage[at + threads];
			to[counters[bin(Keys::key_of(record))] + at] = made(record);
		}
	}

private:
	DEVICE u32 bin(u32 key) const { return key >> shift & mask; }
	DEVICE u32 bin_of_item(int i) const { return Keys::bin_of_item(i, shift, mask); }
	DEVICE void set_rank(int i, u32 rank) { ranks[i / 2] = i % 2 ? ranks[i / 2] | rank << 16 : rank; }
	DEVICE u32 rank(int i) const { return i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffff; }

	// Rows of sorted keys share a bin: one lane counts for all, since lanes that add to one counter wait for each
	// other.
	template <bool whole, class Inside> DEVICE void count(const Inside& inside) {
		bool all = true;
		UNROLL for (int i = 0; i < items; i++) all &= whole || inside(i);
		if (vote(Keys::bins_differ(shift, mask) == 0 && all) == ALL_LANES) {
			u32 first = lane_index() == 0 ? atomic_add(counters + bin_of_item(0), 32u * items) : 0;
			first = (shuffle(first, 0) + lane_index()) * 0x10001 + (32u << 16);
			UNROLL for (int k = 0; k < (items + 1) / 2; k++) ranks[k] = first + 64 * k * 0x10001;
			return;
		}
		UNROLL for (int i = 0; i < items; i++) {
			u32* counter = counters + bin_of_item(i);
			set_rank(i, whole ? atomic_add(counter, 1u) : add_shared_if(inside(i), shared_place(counter), 1));
		}
	}

	// Reserves places in the output, then sums the counts while the results arrive.
	DEVICE void place(u32* cursors) {
		u32 counts[each], all = 0, total, start = 0;
		if (thread_index() < scanners) {
			UNROLL for (int k = 0; k < each; k++) {
				u32 at = k * scanners + thread_index(), count = counters[at];
				room[k] = count ? atomic_add(cursors + at, count) : 0;
				if (each == 1) counts[0] = count;
			}
			if (each == 4) {
				const Words4 four = ((const Words4*)counters)[thread_index()];
				counts[0] = four.word[0], counts[1 % each] = four.word[1], counts[2 % each] = four.word[2],
				counts[3 % each] = four.word[3];
			}
			UNROLL for (int k = 0; k < each; k++) all += counts[k];
			start = warp_exclusive_sum(all, &total);
			if (lane_index() == 0) sums[warp_index()] = total;
		}
		sync_block();
		if (thread_index() < scanners) {
			start += warp_add(lane_index() < warp_index() ? sums[lane_index()] : 0u);
			u32 first[each];
			UNROLL for (int k = 0; k < each; k++) first[k] = start, start += counts[k];
			if (each == 4) {
				((Words4*)starts)[thread_index()] = {first[0], first[1 % each], first[2 % each], first[3 % each]};
			} else {
				starts[thread_index()] = first[0];
			}
			if (thread_index() == scanners - 1) starts[bins] = start;
		}
		sync_block();
	}
	template <bool whole, class Inside, class Item> DEVICE void put(const Inside& inside, const Item& staged) {
		UNROLL for (int i = 0; i < items; i++) {
			if (whole || inside(i)) stage[starts[bin_of_item(i)] + rank(i)] = staged(i);
		}
	}
	// Waits for the reserved places, after staging.
	DEVICE void aim(const Buckets& b, const Pages& pages) {
		if (thread_index() >= scanners) return;
		UNROLL for (int k = 0; k < each; k++) {
			u32 at = k * scanners + thread_index();
			counters[at] = pages.place(b, at, room[k], starts[at + 1] - starts[at]) - starts[at];
		}
	}
};

// Zeroes the counts of the key scan for the next sort: those of buckets, which with pages are zero but for extensions,
// and those of the classes of this tile unless they are still needed. By all threads of the pass that reads the column.
template <int threads> DEVICE void clear_counts(const Buckets& b, bool classes) {
	for (u32 i = block_index() * threads + thread_index(); i < 1u << b.bits && !b.page; i += grid_blocks() * threads)
		((u32*)b.counts)[i] = 0;
	if (classes && thread_index() < CLASSES)
		((u32*)b.classCounts)[thread_index() * grid_blocks() + block_index()] = 0;
}
