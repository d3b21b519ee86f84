// One pass of the partition: rows are dealt to bins in any order. A row's rank is what the atomic addition to its bin's counter
// returns, and a bin's room in the output is one addition to its cursor: no ballots and no look-back, since no order is kept.
#pragma once
#include "buckets.h"

constexpr int power_up_to(int x) { return x < 2 ? 1 : 2 * power_up_to(x / 2); }

// A Record is key << 32 | low in memory; as one word the compiler would keep it in two registers all the way.
struct alignas(8) Record {
	u32 low, key;
};

// A Dealer has one tile in registers: the keys, which are the leading 32 bits of records.
template <int threads, int items, int bins> struct Dealer {
	static const int tile = threads * items;
	static const int scanners = bins < power_up_to(threads) ? bins : power_up_to(threads), each = bins / scanners; // bins of a scanning thread
	static const int bytes = tile * 8 + (bins + 4) * 8 + 32 * 4;
	static_assert(each == 1 || each == 4, "bins are read one by one or four at a time");

	Record* stage;
	u32 *counters, *starts, *sums; // counters: later what to add to a place in the stage for the place in the output
	volatile u32* shift; // of the bin in a key: read again for each phase, as in DigitPlace
	u32 mask;
	u32 key[items], ranks[(items + 1) / 2], room[each];

	DEVICE Dealer(u8* memory, u32 mask)
	    : stage((Record*)memory), counters((u32*)(memory + tile * 8)), starts(counters + bins + 4), sums(starts + bins + 4), shift(sums + 31), mask(mask) {}

	// Before the rows are loaded: it needs a barrier behind.
	DEVICE void clear(u32 binShift) {
		if (thread_index() == 0) *shift = binShift;
		UNROLL for (int k = 0; k < bins; k += threads) {
			if (k + threads <= bins || k + thread_index() < bins) counters[k + thread_index()] = 0;
		}
	}

	// Brings the records of a tile into the stage, bin by bin. inside(i) says whether item i is one (whole: all are), low(i) are the
	// other bits of it; cursors(b) are those of the bins: found when they are wanted, since registers are few.
	template <bool whole, class Inside, class Low, class Cursors>
	DEVICE void deal(const Buckets* b, const Inside& inside, const Low& low, const Cursors& cursors) {
		sync_block();
		count<whole>(inside);
		sync_block();
		place(cursors(in_register(b)));
		put<whole>(inside, low);
		aim();
	}
	DEVICE u32 records() const { return starts[bins]; } // behind deal

	// Behind a barrier. Rolled, and the next record is read before this one is stored.
	template <bool whole> DEVICE void write(Record* out) {
		u32 shift = *this->shift, at = thread_index(), end = whole ? tile : records();
		Record* to = in_register(out);
		if (!whole && at >= end) return;
		Record next = stage[at];
		ROLLED for (; at < end; at += threads) {
			Record record = next;
			if (at + threads < end) next = stage[at + threads];
			to[counters[bin(record.key, shift)] + at] = record;
		}
	}

private:
	DEVICE u32 bin(u32 key, u32 shift) const { return key >> shift & mask; }
	DEVICE void set_rank(int i, u32 rank) { ranks[i / 2] = i % 2 ? ranks[i / 2] | rank << 16 : rank; }
	DEVICE u32 rank(int i) const { return i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffff; }

	// Rows of sorted keys share a bin: one lane counts for all, since lanes that add to one counter wait for one another.
	template <bool whole, class Inside> DEVICE void count(const Inside& inside) {
		u32 shift = *this->shift, one = shuffle(key[0], 0), differ = 0;
		bool all = true;
		UNROLL for (int i = 0; i < items; i++) differ |= key[i] ^ one, all &= whole || inside(i);
		bool same = vote(differ >> shift == 0 && all) == ALL_LANES, counts = !same || lane_index() == 0;
		u32 rows = same ? 32 : 1, at = shared_place(counters);
		UNROLL for (int i = 0; i < items; i++) set_rank(i, add_shared_if(counts && (whole || inside(i)), at + bin(key[i], shift) * 4, rows));
		if (!same) return;
		UNROLL for (int k = 0; k < (items + 1) / 2; k++) ranks[k] = shuffle(ranks[k], 0) + lane_index() * 0x10001;
	}

	// Asks for room in the output, then adds the counts up while the answers come in.
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
		u32 shift = *this->shift;
		UNROLL for (int i = 0; i < items; i++) {
			if (whole || inside(i)) stage[starts[bin(key[i], shift)] + rank(i)] = {low(i), key[i]};
		}
	}
	// The answers are waited for behind the staging.
	DEVICE void aim() {
		if (thread_index() >= scanners) return;
		UNROLL for (int k = 0; k < each; k++) {
			u32 at = k * scanners + thread_index();
			counters[at] = room[k] - starts[at];
		}
	}
};
