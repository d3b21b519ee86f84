// The sort of a bucket by one block. Rows get bins by interpolation between the least and the greatest number and are
// staged bin by bin. Bins of up to 8 rows are ordered by a thread each, bins of up to 32 equal numbers too; others by a
// warp each, which gives their rows bins once more. The order is by number, then row.
#pragma once
#include "../../kernels/bins.h"
#include "networks.h"
#include "scatter.h"
#include "spread.h"

// Lists of bins by their rows: 2, 3 and 4, 5 to 8, 9 to 16, 17 to 32, more.
const u32 LISTS = 6;

template <int threads, int items, Format format> struct Incore {
	static const u32 room = threads * items, bins = threads * 8, warps = threads / 32, warpRows = 512;
	static const u32 listWords = room / 4 + room / 6 + room / 10 + room / 18 + room / 34 + room / 66 + 8;
	static const u32 bytes = room * (8 + (format == R12) * 4) + bins * 2 + 16 + listWords * 4 + 256 * 4;

	u64* numbers;                          // with R8 the records
	u32 *rows, *counters, *lists, *control; // control: 0 on: bins of lists; 8 on: extremes, 136 on: sums, of warps

	DEVICE explicit Incore(u8* memory)
	    : numbers((u64*)memory), rows((u32*)(numbers + room)), counters(rows + (format == R12 ? room : 0)),
	      lists(counters + bins / 2 + 4), control(lists + listWords / 2 * 2) {}

	// Where a row number is.
	DEVICE u32& row(u32 at) const { return format == R12 ? rows[at] : ((u32*)numbers)[at * 2]; }
	DEVICE u32 high(u32 at) const { return ((u32*)numbers)[at * 2 + 1]; }
	DEVICE u16* list(int k) const {
		const u32 at[LISTS] = {0, room / 4 + 1, room / 4 + room / 6 + 2, room / 4 + room / 6 + room / 10 + 3,
		                       room / 4 + room / 6 + room / 10 + room / 18 + 4,
		                       room / 4 + room / 6 + room / 10 + room / 18 + room / 34 + 5};
		return (u16*)(lists + at[k]);
	}
	DEVICE u32 start(u32 bin) const { return ((u16*)counters)[bin]; }

	DEVICE void sort(const Records& in, const u32* pages, u32 n, u32* out) {
		u64 number[items], least = ~0ull, greatest = 0;
		u32 thread = in_register(thread_index()); // anew for each stage: or addresses would take registers in between
		u32 place[items]; // the bin, and above it the rank among the rows of the bin; then the place
		UNROLL for (int i = 0; i < items; i++) {
			if (i / 4 * 4 * threads >= n) break;
			number[i] = load_past(in.words + source(pages, i, n, thread));
		}
		UNROLL for (u32 i = 0; i < bins / 8; i += threads) ((Four*)counters)[i + thread_index()] = {0, 0, 0, 0};
		if (thread_index() < LISTS) control[thread_index()] = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (i / 4 * 4 * threads >= n) break;
			least = lesser(least, number[i]), greatest = greater(greatest, number[i]);
		}
		extremes(&least, &greatest);
		Spread spread = Spread::between(least, greatest, bins);
		if (spread.rowScale) {
			UNROLL for (int i = 0; i < items; i++) {
				if (i / 4 * 4 * threads >= n) break;
				u32 row = format == R12 ? load(in.rows + source(pages, i, n, thread)) : (u32)number[i];
				place[i] = spread.bin(number[i], row);
			}
		} else {
			UNROLL for (int i = 0; i < items; i++) {
				if (i / 4 * 4 * threads >= n) break;
				place[i] = spread.bin(number[i]);
			}
		}
		u32 countersAt = shared_place(counters);
		thread = in_register(thread);
		UNROLL for (int i = 0; i < items; i += 4) {
			if (i * threads >= n) break;
			u32 rank[4];
			UNROLL for (int k = 0; k < 4; k++) {
				if (i + k >= items) break;
				u32 p = place[i + k];
				rank[k] = add_shared_if((i + k) * threads + thread < n, countersAt + p / 2 * 4, 1u << p % 2 * 16);
			}
			UNROLL for (int k = 0; k < 4; k++) {
				if (i + k >= items) break;
				place[i + k] |= rank[k] >> place[i + k] % 2 * 16 << 16;
			}
		}
		sync_block();
		scan(n);
		sync_block();
		thread = in_register(thread_index());
		UNROLL for (int i = 0; i < items; i++) {
			if (i / 4 * 4 * threads >= n) break;
			place[i] = start(place[i] & 0xffff) + (place[i] >> 16);
			if (i * threads + thread < n) numbers[place[i]] = number[i];
		}
		if (format == R12) { // not before: registers are few
			u32 r[items];
			thread = in_register(thread_index());
			UNROLL for (int i = 0; i < items; i++) {
				if (i / 4 * 4 * threads >= n) break;
				r[i] = load_once(in.rows + source(pages, i, n, thread));
			}
			UNROLL for (int i = 0; i < items; i++) {
				if (i / 4 * 4 * threads >= n) break;
				if (i * threads + thread < n) rows[place[i]] = r[i];
			}
		}
		sync_block();
		order_bins();
		UNROLL for (int i = 0; i < items; i++) {
			u32 at = i * threads + thread_index();
			if (at < n) out[at] = row(at);
		}
	}

private:
	// The place in memory of a thread's record; that of the last one for those after it.
	DEVICE static u32 source(const u32* pages, int i, u32 n, u32 thread) {
		u32 at = i * threads + thread;
		at = at < n ? at : n - 1;
		return pages[at / 512] * 512 + at % 512;
	}
	// Of all threads. The barrier also lets them see the counters.
	DEVICE void extremes(u64* least, u64* greatest) const {
		u64* of = (u64*)(control + 8);
		*least = warp_min(*least), *greatest = warp_max(*greatest);
		if (lane_index() == 0) of[warp_index()] = *least, of[32 + warp_index()] = *greatest;
		sync_block();
		u32 w = lane_index() % warps;
		*least = warp_min(of[w]), *greatest = warp_max(of[32 + w]);
	}
	// Counts become starts, and bins are listed by their rows. A thread has eight bins.
	DEVICE void scan(u32 n) const {
		Four c = ((Four*)counters)[thread_index()];
		u32 words[4] = {c.x, c.y, c.z, c.w}, sum = 0, total;
		u32 listed = 0; // pairs, and above them threes and fours
		UNROLL for (int k = 0; k < 8; k++) {
			u32 count = words[k / 2] >> k % 2 * 16 & 0xffff;
			listed += (count == 2) + (count - 3 < 2) * 65536;
		}
		u32 ofLists, before = warp_exclusive_sum(listed, &ofLists);
		if (lane_index() == 0) {
			u32 a = atomic_add(control, ofLists & 0xffff), b = atomic_add(control + 1, ofLists >> 16);
			ofLists = a | b << 16;
		}
		before += shuffle(ofLists, 0);
		u16 *pairs = list(0) + (before & 0xffff), *fours = list(1) + (before >> 16);
		UNROLL for (int k = 0; k < 4; k++) {
			u32 low = words[k] & 0xffff, high = words[k] >> 16, bin = thread_index() * 8 + k * 2;
			words[k] = sum | (sum + low) << 16;
			sum += low + high;
			if (low == 2) *pairs++ = (u16)bin;
			if (high == 2) *pairs++ = (u16)(bin + 1);
			if (low - 3 < 2) *fours++ = (u16)bin;
			if (high - 3 < 2) *fours++ = (u16)(bin + 1);
			if (low > 4) list_large(bin, low);
			if (high > 4) list_large(bin + 1, high);
		}
		u32 start = warp_exclusive_sum(sum, &total);
		if (lane_index() == 31) control[136 + warp_index()] = total;
		sync_block();
		start += warp_add(lane_index() < warp_index() ? control[136 + lane_index()] : 0u);
		start |= start << 16;
		((Four*)counters)[thread_index()] = {words[0] + start, words[1] + start, words[2] + start, words[3] + start};
		if (thread_index() == 0) counters[bins / 2] = n;
	}
	DEVICE void list_large(u32 bin, u32 count) const {
		int k = count <= 8 ? 2 : count <= 16 ? 3 : count <= 32 ? 4 : 5;
		u16* to = count <= 8 ? list(2) : count <= 16 ? list(3) : count <= 32 ? list(4) : list(5);
		to[atomic_add(control + k, 1u)] = (u16)bin;
	}

	// Warps take 32 bins at a time from the lists. Bins of more than 32 rows come last, in the memory of the others.
	DEVICE void order_bins() const {
		u32 unit = warp_index(), count = control[5];
		bool mixed = false;
		each(4, &unit, [&](u32 at, u32 n, u16* entry) { mixed |= order_equal<32>(at, n, entry); });
		each(3, &unit, [&](u32 at, u32 n, u16* entry) { mixed |= order_equal<16>(at, n, entry); });
		each(2, &unit, [&](u32 at, u32 n, u16*) { order_few<8>(at, n); });
		each(1, &unit, [&](u32 at, u32 n, u16*) { order_few<4>(at, n); });
		each(0, &unit, [&](u32 at, u32, u16*) { order_two_rows(at, at + 1); });
		if (!sync_block_or(mixed || count)) return;
		bool longer = false;
		for (u32 i = warp_index(); i < count; i += warps) {
			u32 bin = list(5)[i], at = start(bin), n = start(bin + 1) - at;
			if (n > warpRows) longer = true;
			else order_large(*this, at, n);
		}
		for (int k = 3; k < 5; k++) {
			for (u32 i = warp_index(); i < control[k]; i += warps) {
				u32 bin = list(k)[i];
				if (bin != 0xffff) rank_by_warp(start(bin), start(bin + 1) - start(bin));
			}
		}
		if (!sync_block_or(longer)) return;
		for (u32 i = 0; i < count; i++) {
			u32 bin = list(5)[i], at = start(bin), n = start(bin + 1) - at;
			if (n <= warpRows) continue;
			sort_bitonic<BlockTeam<threads>>(n, [&](u32 x, u32 y) { order_two_rows(at + x, at + y); });
		}
		sync_block();
	}
	template <class Order> DEVICE void each(int k, u32* unit, const Order& order) const {
		u32 count = control[k], units = (count + 31) / 32;
		ROLLED for (; *unit < units; *unit += warps) {
			u32 i = *unit * 32 + lane_index();
			if (i >= count) continue;
			u16* entry = list(k) + i;
			u32 at = start(*entry);
			order(at, start(*entry + 1) - at, entry);
		}
		*unit -= units;
	}
	DEVICE bool less(u32 a, u32 b) const {
		u64 x = numbers[a], y = numbers[b];
		return x < y || (format == R12 && x == y && rows[a] < rows[b]);
	}
	DEVICE void order_two_rows(u32 a, u32 b) const {
		if (!less(b, a)) return;
		u64 x = numbers[a];
		numbers[a] = numbers[b], numbers[b] = x;
		if (format != R12) return;
		u32 y = rows[a];
		rows[a] = rows[b], rows[b] = y;
	}
	template <int most> DEVICE void order_few(u32 at, u32 n) const {
		u64 v[most];
		u32 r[most];
		UNROLL for (u32 k = 0; k < most; k++) {
			v[k] = k < n ? numbers[at + k] : ~0ull;
			if (format == R12) r[k] = k < n ? rows[at + k] : ~0u;
		}
		sort_network<most>([&](auto low, auto high) {
			const int a = decltype(low)::value, b = decltype(high)::value;
			bool swap = v[b] < v[a] || (format == R12 && v[b] == v[a] && r[b] < r[a]);
			u64 x = swap ? v[b] : v[a], y = swap ? v[a] : v[b];
			v[a] = x, v[b] = y;
			if (format != R12) return;
			u32 p = swap ? r[b] : r[a], q = swap ? r[a] : r[b];
			r[a] = p, r[b] = q;
		});
		UNROLL for (u32 k = 0; k < most; k++) {
			if (k >= n) continue;
			numbers[at + k] = v[k];
			if (format == R12) rows[at + k] = r[k];
		}
	}
	// Orders the rows of equal numbers. Returns whether the numbers are not equal; else the entry is marked.
	template <int most> DEVICE bool order_equal(u32 at, u32 n, u16* entry) const {
		u32 differ = 0;
		UNROLL for (u32 k = 1; k < most; k++) {
			if (k >= n) continue;
			differ |= high(at) ^ high(at + k);
			if (format == R12) differ |= (u32)numbers[at] ^ (u32)numbers[at + k];
		}
		if (differ) return true;
		*entry = 0xffff;
		order_rows<most>(at, n);
		return false;
	}
	template <int most> DEVICE void order_rows(u32 at, u32 n) const {
		u32 r[most];
		UNROLL for (u32 k = 0; k < most; k++) r[k] = k < n ? row(at + k) : ~0u;
		sort_network<most>([&](auto low, auto high) {
			const int a = decltype(low)::value, b = decltype(high)::value;
			u32 x = r[a] < r[b] ? r[a] : r[b];
			r[b] = r[a] < r[b] ? r[b] : r[a];
			r[a] = x;
		});
		UNROLL for (u32 k = 0; k < most; k++)
			if (k < n) row(at + k) = r[k];
	}
	// 9 to 32 rows by a warp: each lane counts the rows before its own.
	DEVICE void rank_by_warp(u32 at, u32 n) const {
		u32 k = lane_index() < n ? lane_index() : 0, mine = row(at + k), rank = 0;
		u64 number = numbers[at + k];
		ROLLED for (u32 k = 0; k < n; k++) {
			u64 other = shuffle(number, k);
			u32 of = format == R12 ? shuffle(mine, k) : 0;
			rank += other < number || (format == R12 && other == number && of < mine);
		}
		sync_warp();
		if (lane_index() < n) {
			numbers[at + rank] = number;
			if (format == R12) rows[at + rank] = mine;
		}
		sync_warp();
	}
	// By a warp. Sub-bins of more than 8 rows wait in a stack.
	NOINLINE static void order_large(Incore s, u32 at, u32 n) {
		u32 depth = 0, divided = 0, stack[2]; // lane k % 32 has entry k: at most 512 / 9
		for (;;) {
			if (n <= 32) s.rank_by_warp(at, n);
			else if (divided++ < 64) s.divide(at, n, stack, &depth);
			else
				sort_bitonic<WarpTeam>(n, [&](u32 x, u32 y) { s.order_two_rows(at + x, at + y); });
			sync_warp();
			if (depth == 0) return;
			depth--;
			u32 next = shuffle(depth < 32 ? stack[0] : stack[1], depth % 32);
			at = next & 0xffff, n = next >> 16;
		}
	}
	// 33 to 512 rows: as many sub-bins. Their counters are in the places of the row numbers.
	DEVICE void divide(u32 at, u32 n, u32* stack, u32* depth) const {
		const int most = warpRows / 32;
		u32 lane = lane_index(), kept[most], r[format == R12 ? most : 1];
		u64 v[format == R12 ? 1 : most], least = ~0ull, greatest = 0;
		UNROLL for (int i = 0; i < most; i++) {
			if (i * 32 >= n) break;
			u32 k = i * 32 + lane < n ? i * 32 + lane : 0;
			u64 x = numbers[at + k];
			if (format == R12) r[i] = rows[at + k];
			else v[i] = x;
			least = lesser(least, x), greatest = greater(greatest, x);
		}
		least = warp_min(least), greatest = warp_max(greatest);
		bool equal = format == R12 && least == greatest;
		if (equal) {
			u32 low = ~0u, high = 0;
			UNROLL for (int i = 0; i < most; i++) {
				if (i * 32 >= n) break;
				low = r[i] < low ? r[i] : low, high = r[i] > high ? r[i] : high;
			}
			least = (u32)~warp_max(~low), greatest = warp_max(high);
		}
		Spread spread = Spread::between(least, greatest, n);
		sync_warp();
		for (u32 k = lane; k < n; k += 32) row(at + k) = 0;
		sync_warp();
		UNROLL for (int i = 0; i < most; i++) {
			if (i * 32 >= n) break;
			u32 k = i * 32 + lane;
			u64 x = format != R12 ? v[i] : equal ? r[i] : numbers[at + (k < n ? k : 0)];
			u32 row = format == R12 ? r[i] : (u32)x,
			    bin = !spread.rowScale ? spread.bin(x) : equal ? (u32)(x - least) : spread.bin(x, row);
			u32 rank = k < n ? atomic_add(&this->row(at + bin), 1u) : 0;
			kept[i] = bin << 16 | rank;
		}
		sync_warp();
		u16* list = (u16*)lists + warp_index() * 256; // of sub-bins of 2 to 8 rows
		u32 first = 0, listed = 0;
		ROLLED for (u32 k = lane; k < (n + 31) / 32 * 32; k += 32) {
			u32 count = k < n ? row(at + k) : 0, total, start = first + warp_exclusive_sum(count, &total);
			if (k < n) row(at + k) = start;
			u32 some = vote(count - 2 < 7), more = vote(count > 8);
			if (count - 2 < 7) list[listed + count_ones(some & ((1u << lane) - 1))] = (u16)(start << 4 | count);
			for (; more; more &= more - 1, ++*depth) {
				u32 entry = shuffle((at + start) | count << 16, lowest_bit(more));
				if (lane == *depth) stack[0] = entry;
				if (lane + 32 == *depth) stack[1] = entry;
			}
			first += total, listed += count_ones(some);
		}
		sync_warp();
		UNROLL for (int i = 0; i < most; i++) {
			if (i * 32 >= n) break;
			if (i * 32 + lane < n) kept[i] = row(at + (kept[i] >> 16)) + (kept[i] & 0xffff);
		}
		sync_warp();
		UNROLL for (int i = 0; i < most; i++) {
			if (i * 32 + lane >= n) continue;
			if (format == R12) rows[at + kept[i]] = r[i];
			else numbers[at + kept[i]] = v[i];
		}
		if (format == R12 && !equal) move_numbers(at, n, kept);
		sync_warp();
		ROLLED for (u32 i = lane; i < listed; i += 32) {
			u32 from = at + (list[i] >> 4), count = list[i] & 15;
			if (equal) order_rows<8>(from, count);
			else order_few<8>(from, count);
		}
	}
	template <int most> DEVICE void move_numbers(u32 at, u32 n, const u32 (&to)[most]) const {
		u64 v[most];
		UNROLL for (int i = 0; i < most; i++) {
			if (i * 32 >= n) break;
			v[i] = numbers[at + (i * 32 + lane_index() < n ? i * 32 + lane_index() : 0)];
		}
		sync_warp();
		UNROLL for (int i = 0; i < most; i++)
			if (i * 32 + lane_index() < n) numbers[at + to[i]] = v[i];
	}
};
