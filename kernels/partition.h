// One pass of the partition: rows are scattered to bins in any order. The rank of a row is the result of the atomic
// addition to its bin's counter, and the place of a bin in the output is the result of one addition to its cursor:
// there are no ballots and no look-back, since no order is kept.
#pragma once
#include "buckets.h"

// A Record is key << 32 | low in memory. As one word the compiler would keep it in two registers throughout.
struct alignas(8) Record {
	u32 low, key;
};

// A Scatterer has one tile in registers: the keys, which are the leading 32 bits of records.
template <int threads, int items, int bins> struct Scatterer {
	static const int tile = threads * items;
	static const int scanners = bins < power_up_to(threads) ? bins : power_up_to(threads),
	                 each = bins / scanners; // bins of a scanning thread
	static_assert(each == 1 || each == 4, "bins are read one by one or four at a time");

	Record* stage;
	u32 *counters, *starts, *sums; // counters: later the difference of a place in the output and a place in the stage
	u32 shift, mask;               // of the bin in a key
	u32 key[items], ranks[(items + 1) / 2], room[each];

	DEVICE Scatterer(u8* memory, u32 shift, u32 mask)
	    : stage((Record*)memory), counters((u32*)(memory + tile * 8)), starts(counters + bins + 4),
	      sums(starts + bins + 4), shift(shift), mask(mask) {}

	// Must precede scatter.
	DEVICE void clear() {
		UNROLL for (int k = 0; k < bins; k += threads) {
			if (k + threads <= bins || k + thread_index() < bins) counters[k + thread_index()] = 0;
		}
	}

	// Stages the records of a tile, bin by bin. inside(i) reports whether item i is a record (whole: all are), low(i)
	// is its low half; cursors are those of the bins.
	template <bool whole, class Inside, class Low>
	DEVICE void scatter(u32* cursors, const Inside& inside, const Low& low) {
		sync_block();
		count<whole>(inside);
		sync_block();
		place(cursors);
		put<whole>(inside, low);
		aim();
		sync_block();
	}
	DEVICE u32 records() const { return starts[bins]; } // valid after scatter

	// The loop is rolled, and the next record is read before this one is stored. made converts a staged record to what
	// is written.
	template <bool whole, class Made> DEVICE void write(Record* out, const Made& made) {
		u32 at = thread_index(), end = whole ? tile : records();
		Record* to = in_register(out);
		if (!whole && at >= end) return;
		Record next = stage[at];
		ROLLED for (; at < end; at += threads) {
			Record record = next;
			if (at + threads < end) next = stage[at + threads];
			to[counters[bin(record.key)] + at] = made(record);
		}
	}

private:
	DEVICE u32 bin(u32 key) const { return key >> shift & mask; }
	DEVICE void set_rank(int i, u32 rank) { ranks[i / 2] = i % 2 ? ranks[i / 2] | rank << 16 : rank; }
	DEVICE u32 rank(int i) const { return i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffff; }

	// Rows of sorted keys share a bin: one lane counts for all, since lanes that add to one counter wait for each
	// other.
	template <bool whole, class Inside> DEVICE void count(const Inside& inside) {
		u32 one = shuffle(key[0], 0), differ = 0;
		bool all = true;
		UNROLL for (int i = 0; i < items; i++) differ |= key[i] ^ one, all &= whole || inside(i);
		if (vote((differ >> shift & mask) == 0 && all) == ALL_LANES) {
			u32 first = lane_index() == 0 ? atomic_add(counters + bin(one), 32u * items) : 0;
			first = (shuffle(first, 0) + lane_index()) * 0x10001 + (32u << 16);
			UNROLL for (int k = 0; k < (items + 1) / 2; k++) ranks[k] = first + 64 * k * 0x10001;
			return;
		}
		UNROLL for (int i = 0; i < items; i++) {
			set_rank(i, whole ? atomic_add(counters + bin(key[i]), 1u)
			                  : add_shared_if(inside(i), shared_place(counters + bin(key[i])), 1));
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
				Four four = ((const Four*)counters)[thread_index()];
				counts[0] = four.x, counts[1 % each] = four.y, counts[2 % each] = four.z, counts[3 % each] = four.w;
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
				((Four*)starts)[thread_index()] = {first[0], first[1 % each], first[2 % each], first[3 % each]};
			} else {
				starts[thread_index()] = first[0];
			}
			if (thread_index() == scanners - 1) starts[bins] = start;
		}
		sync_block();
	}
	template <bool whole, class Inside, class Low> DEVICE void put(const Inside& inside, const Low& low) {
		UNROLL for (int i = 0; i < items; i++) {
			if (whole || inside(i)) stage[starts[bin(key[i])] + rank(i)] = {low(i), key[i]};
		}
	}
	// Waits for the reserved places, after staging.
	DEVICE void aim() {
		if (thread_index() >= scanners) return;
		UNROLL for (int k = 0; k < each; k++) {
			u32 at = k * scanners + thread_index();
			counters[at] = room[k] - starts[at];
		}
	}
};
