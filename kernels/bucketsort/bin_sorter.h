// Sorts a bucket range in shared memory: rows are counted in bins by the bits after the bucket, staged bin by bin, and
// the few rows of a bin are compared. A staged word of 32 bits holds the rest of the prefix and the row. A staged wide
// word holds the bits of the record that follow the bin, as far as they fit, and the index of the record among those
// loaded, whose low halves stay in shared memory: wide records hold more of the code than the prefix.
#pragma once
#include "bucketsort/bins.h"
#include "partition/classes.h"
#include "sample/pages.h"

// Why records may tie. TIES_NEAR_ZERO: only because floats of four bytes near zero are closer than codes, or numbers
// have more bits. TIES_OF_NUMBERS, in addition: different rows may have equal numbers.
const u32 TIES_ANYWHERE = 1, TIES_NEAR_ZERO = 2, TIES_OF_NUMBERS = 4;

// A BucketRange is adjacent whole buckets: records first..first+rows-1, which lie from in on, prefixes from low on. It
// stays in shared memory, since registers are few.
struct BucketRange {
	u32 first, in, rows, low, binShift; // in: first without pages; binShift: bits of the prefix after the bin
	u32 ties;                       // not 0: records may tie in their codes that do not stand for one number
	u32 shift, split;               // rows of classes that sort before; 1: more of them sort before some of the rows
};

// Words at the start of shared memory: those of BucketRanges, sums of warps, the number of runs, the number of bins
// that overflow to warps, two words that warps share, the number of bins that overflow to the block, and these bins.
const int CONTROL_SUMS = 16, CONTROL_RUNS = 48, CONTROL_OVERFLOW = 49, CONTROL_BITS = 50, CONTROL_LARGE = 52,
          CONTROL_LIST = 53;

template <class BinSorter, bool rests> struct Overflow;

// BinSorter sorts one bucket range. Places of words in shared memory are in bytes, so that they need no multiplication.
// StagedWord is the type of a staged word.
template <int threadCount, int items, int binBits, bool wide, bool full, class StagedWord = u32> struct BinSorter {
	typedef StagedWord Word;
	static const bool isWide = wide, valuesOnly = false; // valuesOnly: see ValueSorter
	static const int threads = threadCount, room = threads * items, bitsOfBins = binBits, bins = 1 << binBits;
	static const int inFlight = items % 6 == 0 ? 6 : items % 4 == 0 ? 4 : items % 3 == 0 ? 3 : 1; // loads at a time
	static const int indexBits = room <= 8192 ? 13 : 14; // of a place among the records
	static const u32 indexMask = (1u << indexBits) - 1;
	static const int scanWarps = bins / 128 < power_up_to(threads / 32) ? bins / 128 : power_up_to(threads / 32),
	                 groups = bins / 128 / scanWarps;
	static const int controlWords = room <= 6144 ? 256 : 512, counterWords = (bins > room ? bins : room) + 32;
	static_assert(groups % 2 == 0, "two groups are summed at once");
	static_assert(room * 4 < 1 << 16, "a place in the stage has 16 bits");
	static_assert(CONTROL_LIST + room / 33 < controlWords, "space for all bins of more rows than a warp has lanes");

	const Buckets& b;
	Word* stage;
	u32 *counters, *control, *lows, *runs; // control: see CONTROL_SUMS; counters: later lists of larger bins
	u32 stageAt, countersAt;
	const volatile BucketRange* range;
	Word word[items];
	u32 place[items];

	DEVICE BinSorter(const Buckets& b, u8* memory, const volatile BucketRange* range)
	    : b(b), stage((Word*)((u32*)memory + controlWords)), counters((u32*)(stage + room + 32)), control((u32*)memory),
	      lows(counters + counterWords), runs(lows + room), stageAt(shared_place(stage)),
	      countersAt(shared_place(counters)), range(range) {}

	// Rows are the block's items offset..offset+rows-1, so that loads and stores are whole lines of memory. In a full
	// range only the first and the last two items of a thread can be missing.
	DEVICE static bool is_full(const volatile BucketRange* s) {
		return s->rows + s->first % 32 >= (items - 2) * threads;
	}
	DEVICE static bool inside(int i, u32 offset, u32 rows) {
		if (full && i > 0) return i < items - 2 || i * threads + thread_index() < rows + offset;
		return i * threads + thread_index() - offset < rows;
	}
	DEVICE static bool can_miss(int i) { return !full || i == 0 || i >= items - 2; }
	DEVICE u32 row_mask() const { return ~0u >> (32 - b.rowBits); }

	DEVICE void load_records() {
		const u64* in = (const u64*)b.records[b.second ? 1 : 0] + range->in - range->first % 32 + thread_index();
		load_records([=](int i) { return in + i * threads; });
	}
	// at: where the record of an item is.
	template <class At> DEVICE void load_records(const At& at) {
		u32 offset = range->first % 32, rows = range->rows;
		UNROLL for (int i = 0; i < items; i++) {
			u64 r = inside(i, offset, rows) ? load_past(at(i)) : 0;
			word[i] = (u32)r;
			place[i] = (u32)(r >> 32);
		}
		begin();
	}
	// The same for a bucket with a page.
	DEVICE void load_paged(const PagedRecords& records) {
		const u64* in = (const u64*)b.records[b.second ? 1 : 0];
		const u32 first = thread_index() - range->first % 32;
		load_records([&](int i) { return in + records(first + i * threads); });
	}
	// Zeroes the counters. Ends with a barrier.
	DEVICE void begin() const {
		clear_bins();
		if (thread_index() < 32) counters[bins + thread_index()] = 0;
		if (thread_index() == 0) control[CONTROL_RUNS] = control[CONTROL_OVERFLOW] = control[CONTROL_LARGE] = 0;
		sync_block();
	}

	DEVICE void clear_bins() const {
		UNROLL for (int k = 0; k < bins / 4; k += threads) {
			if (k + threads <= bins / 4 || k + thread_index() < bins / 4)
				((Words4*)counters)[k + thread_index()] = {0, 0, 0, 0};
		}
	}

	// place becomes the bin's counter, and above it the rank of the row among the rows of its bin.
	DEVICE void count() {
		u32 offset = range->first % 32, rows = range->rows, low = range->low, binShift = range->binShift;
		u32 factor = binShift ? 1u << (32 - binShift) : 0, keep = 0;
		// The row number must not decide the order of inexact codes.
		if (wide) keep = shift_right(~0u, range->ties ? ~row_mask() : ~0u, binShift) & ~indexMask;
		UNROLL for (int i = 0; i < items; i++) {
			u32 rest = place[i] - low, bin = rest >> binShift;
			if (wide) {
				u32 at = i * threads + thread_index();
				lows[at] = word[i];
				word[i] = (shift_right(rest, word[i], binShift) & keep) | at;
			} else {
				word[i] += rest * factor;
			}
			if (!inside(i, offset, rows)) bin = bins + lane_index();
			place[i] = bin * 4 + (atomic_add(counters + bin, 1u) << 18); // of an OR the compiler would keep both parts
		}
		sync_block();
	}

	// A counter becomes the bin's start and, below it, its rows less one, all times 4. Each of the scanning warps has
	// groups of 128 bins, whose sums are below 2^16. Sizes are bytes unless some bin has too many rows, which is the
	// same for the whole block.
	DEVICE void scan() {
		u32 sums[groups], starts[groups / 2], sizes[groups], total = 0, seen = 0; // starts: of two groups in a word
		Words4* mine = (Words4*)counters + warp_index() * groups * 32 + lane_index();
		if (warp_index() < scanWarps) {
			UNROLL for (int g = 0; g < groups; g++) {
				Words4 c = mine[g * 32];
				seen |= c.word[0] | c.word[1] | c.word[2] | c.word[3];
				sizes[g] = (c.word[3] * 256 + c.word[2]) * 65536 + c.word[1] * 256 + c.word[0];
				sums[g] = sum_of(c);
			}
			UNROLL for (int g = 0; g < groups; g += 2) {
				u32 ofGroups, before = warp_exclusive_sum(sums[g] | sums[g + 1] << 16, &ofGroups);
				u32 first = total, second = total + (ofGroups & 0xffff);
				starts[g / 2] = before + (first | second << 16);
				total = second + (ofGroups >> 16);
			}
			if (lane_index() == 0) control[CONTROL_SUMS + warp_index()] = total;
		}
		bool large = sync_block_or(seen > 255);
		if (warp_index() < scanWarps) {
			u32 before = rows_of_warps_before();
			UNROLL for (int g = 0; g < groups; g++) {
				u32 s = sizes[g];
				set_bins(mine + g * 32, {s & 255, s >> 8 & 255, s >> 16 & 255, s >> 24},
				         before + (starts[g / 2] >> g % 2 * 16 & 0xffff));
			}
		}
		if (large) scan_again();
		if (thread_index() < 32) // items without a row are placed after all rows
			counters[bins + thread_index()] = range->rows << 18 | 0xffff;
		sync_block();
	}
	DEVICE u32 rows_of_warps_before() const {
		return warp_add(lane_index() < warp_index() ? control[CONTROL_SUMS + lane_index()] : 0u);
	}

	// For a large bin: counts the rows again, as the greatest rank, without bytes.
	DEVICE void scan_again() const {
		sync_block();
		clear_bins();
		sync_block();
		UNROLL for (int i = 0; i < items; i++) atomic_max(counters + (place[i] & 0xffff) / 4, (place[i] >> 18) + 1);
		sync_block();
		if (warp_index() >= scanWarps) return;
		Words4* mine = (Words4*)counters + warp_index() * groups * 32 + lane_index();
		u32 start = rows_of_warps_before();
		ROLLED for (int g = 0; g < groups; g++) {
			Words4 c = mine[g * 32];
			u32 ofGroup, before = warp_exclusive_sum(sum_of(c), &ofGroup);
			set_bins(mine + g * 32, c, start + before);
			start += ofGroup;
		}
	}
	DEVICE static void set_bins(Words4* bin, Words4 rows, u32 start) {
		u32 at = start << 18;
		Words4 out;
		out.word[0] = at + rows.word[0] * 4 - 4, at += rows.word[0] << 18;
		out.word[1] = at + rows.word[1] * 4 - 4, at += rows.word[1] << 18;
		out.word[2] = at + rows.word[2] * 4 - 4, at += rows.word[2] << 18;
		out.word[3] = at + rows.word[3] * 4 - 4;
		*bin = out;
	}

	// The place of a row in the stage, by its bin's word and its rank, times 4.
	DEVICE u32 place_of(u32 bin, u32 rank) const { return stageAt + ((bin >> 16) + rank) * (sizeof(Word) / 4); }

	// The thread of one of the rows of a bin orders the bin: its place is the bin's word, 0 for all other rows.
	DEVICE void stage_rows() {
		UNROLL for (int i = 0; i < items; i++) {
			u32 bin = load_shared(countersAt + (place[i] & 0xffff)), rank = place[i] >> 16;
			if (can_miss(i)) store_shared_if((place[i] & 0xffff) < bins * 4, place_of(bin, rank), word[i]);
			else store_shared(place_of(bin, rank), word[i]);
			place[i] = rank == rank_of_owner(place[i] & 0xffff, bin & 0xffff) ? bin : 0;
		}
		sync_block();
	}

	// The rank of the row whose thread orders a bin, times 4: of two rows the last, of more any. The last rows of most
	// bins may be of the same warp, which would order all bins while the other warps wait. Of items without a row,
	// whose last is odd, it is none of their ranks.
	DEVICE static u32 rank_of_owner(u32 bin, u32 last) { return last & ((bin ^ bin >> 4) | 5); }

	// Orders bins of two rows. Returns the items whose bins have ties.
	DEVICE u32 order_pairs() {
		u32 tied = 0;
		UNROLL for (int g = 0; g < items; g += inFlight) {
			Word others[inFlight];
			UNROLL for (int i = g; i < g + inFlight; i++)
				others[i - g] = load_shared_if<Word>((place[i] & 0xffff) == 4, place_of(place[i], 0));
			UNROLL for (int i = g; i < g + inFlight; i++) {
				Word other = others[i - g];
				store_two_if(other > word[i], place_of(place[i], 0), word[i], other);
				if (wide) tied |= (u32)((place[i] & 0xffff) == 4 && ties(other, word[i])) << i;
			}
		}
		return tied;
	}
	// Each warp has a list of bins, which its threads order in equal numbers. Returns how many bins stay in the list:
	// those that are too large for a thread, and those with rows that tie.
	DEVICE u32 order_bins() {
		const u32 list = list_of_warp(), tied = order_pairs();
		u32 count = 0, overflow = 0;
		UNROLL for (int i = 0; i < items; i++) add_to_list(list, &count, (place[i] & 0xffff) > 4, place[i]);
		sync_warp();
		ROLLED for (u32 o = 0; o < count; o += 32) {
			u32 bin = o + lane_index() < count ? load_shared(list + (o + lane_index()) * 4) : 0,
			    rows = (bin & 0xffff) / 4 + 1;
			sync_warp(); // these bins of the list have been read
			bool stays = rows > THREAD_BIN;
			if (!stays && rows > 2) stays = order_bin<wide ? indexBits : 0>(stage + (bin >> 18), rows);
			add_to_list(list, &overflow, stays, bin);
		}
		if (wide && vote(tied != 0)) {
			UNROLL for (int i = 0; i < items; i++) add_to_list(list, &overflow, tied >> i & 1, place[i]);
		}
		if (overflow) publish_overflow(list, overflow);
		sync_block();
		return overflow;
	}
	// Publishes the bins that stay in the list. Bins with rows that tie are slow, and all warps of the block share
	// them.
	DEVICE void publish_overflow(u32 list, u32 bins) {
		u32 first = 0;
		if (lane_index() == 0) first = atomic_add(control + CONTROL_OVERFLOW, bins);
		if (!wide) return;
		first = shuffle(first, 0);
		sync_warp(); // the list is complete
		ROLLED for (u32 o = lane_index(); o < bins; o += 32) runs[first + o] = load_shared(list + o * 4);
	}
	DEVICE u32 list_of_warp() const { return countersAt + warp_index() * (items * 32 * 4); }
	DEVICE static void add_to_list(u32 list, u32* count, bool wanted, u32 bin) {
		u32 lanes = vote(wanted);
		store_shared_if(wanted, list + (*count + lanes_before(lanes)) * 4, bin);
		*count += count_ones(lanes);
	}

	// Reports whether rows tie in all bits of their words.
	DEVICE static bool ties(u32 a, u32 b) { return (a ^ b) >> indexBits == 0; }
	DEVICE u32 row_of(u32 word) const { return wide ? lows[word & indexMask] & row_mask() : word & row_mask(); }
	DEVICE void write() const {
		write_result([&](u32 word) { return row_of(word); });
	}
	// Writes what is made of each staged word, which has its type.
	template <class Made> DEVICE void write_result(const Made& made) const {
		u32 offset = range->first % 32, rows = range->rows, first = range->first - offset + thread_index();
		Word* to = (Word*)b.rows + range->shift + first;
		const Word* from = stage + thread_index() - offset;
		if (range->split) { // rows of classes sort between these rows
			ROLLED for (u32 i = thread_index(); i < range->rows; i += threads)
				((Word*)b.rows)[output_place(b, range->first + i)] = made(stage[i]);
			return;
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (inside(i, offset, rows)) to[i * threads] = made(from[i * threads]);
		}
	}

	DEVICE void sort() {
		load_records();
		sort_records();
	}
	DEVICE void sort_records() {
		count();
		scan();
		stage_rows();
		u32 overflow = order_bins();
		if (control[CONTROL_OVERFLOW]) {
			if (wide && range->ties & TIES_OF_NUMBERS) Overflow<BinSorter, wide>::order(&b, range, overflow);
			else Overflow<BinSorter, false>::order(&b, range, overflow);
		}
		write();
	}
};
#include "bucketsort/overflow.h"
