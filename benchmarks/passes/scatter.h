// The tile of a pass: rows are counted by bin with atomics, which give each its rank; the places of a bin in the output
// come from one reservation; records are staged bin by bin and written in order of their places. As in
// kernels/partition.h, but with two segments for the records of a bin.
#pragma once
#include "bucket_function.h"
#include "pages.h"

// Formats of records. R8: a number of 32 bits, then the row. C8: 36 bits of the number, then the row. R12: the number,
// and the row in a second array.
enum Format { R8, C8, R12 };

struct Records {
	u64* words; // of R12 the numbers
	u32* rows;  // of R12
};

template <int threads, int items, Format format, class Function> struct Tile {
	static const int size = threads * items, bins = 256;
	static const bool keepsBins = Function::borders;
	static const u32 bytes = size * (8 + (format == R12) * 4 + keepsBins) + (bins * 6 + 8) * 4;

	u64* stage;
	u32 *stagedRows, *counts, *starts, *near, *split, *far, *search, *sums; // near, far: from the stage to the output
	u8* stagedBins;
	u32 ranks[items / 2], found[keepsBins ? items / 4 : 1]; // found: bins

	DEVICE explicit Tile(u8* memory)
	    : stage((u64*)memory), stagedRows((u32*)(stage + size)), counts(stagedRows + (format == R12 ? size : 0)),
	      starts(counts + bins), near(starts + bins), split(near + bins), far(split + bins), search(far + bins),
	      sums(search + bins), stagedBins((u8*)(sums + 8)) {}

	// Loads a set of borders and clears the counts. The pairs take the memory of the stage.
	DEVICE void begin(const Function& f, u32 set) const {
		if (thread_index() < bins) counts[thread_index()] = 0;
		f.load(search, (Pair*)stage, set);
		sync_block();
	}
	// number(i), row(i) and inside(i) are those of item i; whole: all items are rows. firstBin is the chain of bin 0.
	template <bool whole, class Number, class Row, class Inside, class Room>
	DEVICE void scatter(const Records& out, const Function& f, const Room& room, u32 firstBin, u32 rows,
	                    const Number& number, const Row& row, const Inside& inside) {
		count<whole>(f, number, row, inside);
		sync_block();
		place();
		aim(room, firstBin); // meanwhile the other warps stage their rows
		UNROLL for (int i = 0; i < items; i++) {
			if (!whole && !inside(i)) continue;
			u32 b = bin(i, f, number), at = starts[b] + rank(i);
			stage[at] = format == R8 ? (number(i) & ~0ull << 32) | row(i) : number(i);
			if (format == R12) stagedRows[at] = row(i);
			if (keepsBins) stagedBins[at] = (u8)b;
		}
		sync_block();
		write<whole>(out, f, rows);
	}

private:
	DEVICE void set_rank(int i, u32 rank) { ranks[i / 2] = i % 2 ? ranks[i / 2] | rank << 16 : rank; }
	DEVICE u32 rank(int i) const { return ranks[i / 2] >> i % 2 * 16 & 0xffff; }
	template <class Number> DEVICE u32 bin(int i, const Function& f, const Number& number) const {
		return keepsBins ? found[i / 4 * keepsBins] >> i % 4 * 8 & 255 : bin_of(i, f, number, number);
	}
	template <class Number, class Row>
	DEVICE u32 bin_of(int i, const Function& f, const Number& number, const Row& row) const {
		return f.bin(number(i), [&] { return (u32)row(i); }, search, (const Pair*)stage);
	}

	template <bool whole, class Number, class Row, class Inside>
	DEVICE void count(const Function& f, const Number& number, const Row& row, const Inside& inside) {
		u32 one = bin_of(0, f, number, row);
		bool same = true, all = true;
		if (keepsBins) {
			UNROLL for (int i = 0; i < items; i++) {
				u32 b = i == 0 ? one : bin_of(i, f, number, row);
				found[i / 4 * keepsBins] = i % 4 ? found[i / 4 * keepsBins] | b << i % 4 * 8 : b;
				same &= b == one;
			}
		} else { // without the bins of all items, which would take registers
			u64 differ = 0, first = number(0);
			UNROLL for (int i = 1; i < items; i++) differ |= number(i) ^ first;
			same = bin_of(0, f, [&](int) { return differ; }, row) == 0;
		}
		UNROLL for (int i = 0; i < items; i++) all &= whole || inside(i);
		same &= one == shuffle(one, 0);
		if (vote(same && all) == ALL_LANES) { // one lane counts for the warp
			u32 first = lane_index() == 0 ? atomic_add(counts + one, 32u * items) : 0;
			first = shuffle(first, 0) + lane_index();
			UNROLL for (int i = 0; i < items; i++) set_rank(i, first + 32 * i);
			return;
		}
		UNROLL for (int i = 0; i < items; i++)
			set_rank(i, whole || inside(i) ? atomic_add(counts + bin(i, f, number), 1u) : 0);
	}
	// The counts become places in the stage.
	DEVICE void place() const {
		u32 start = 0, total;
		if (thread_index() < bins) {
			start = warp_exclusive_sum(counts[thread_index()], &total);
			if (lane_index() == 0) sums[warp_index()] = total;
		}
		sync_block();
		if (thread_index() < bins)
			starts[thread_index()] = start + warp_add(lane_index() < warp_index() ? sums[lane_index()] : 0u);
		sync_block();
	}
	// Reserves places in the output.
	template <class Room> DEVICE void aim(const Room& room, u32 firstBin) const {
		u32 bin = thread_index();
		if (bin >= bins || counts[bin] == 0) return;
		Places p = room.reserve(firstBin + bin, counts[bin]);
		u32 start = starts[bin];
		near[bin] = p.first - start, split[bin] = start + p.split, far[bin] = p.second - start - p.split;
	}
	template <bool whole> DEVICE void write(const Records& out, const Function& f, u32 rows) {
		u64* words = in_register(out.words);
		u32 *to = in_register(out.rows), at = thread_index(), end = whole ? size : rows;
		if (!whole && at >= end) return;
		u64 next = stage[at];
		ROLLED for (; at < end; at += threads) {
			u64 x = next;
			if (at + threads < end) next = stage[at + threads];
			u32 b = keepsBins ? stagedBins[at] : bin_of(0, f, [&](int) { return x; }, [](int) { return 0u; });
			u32 place = at + (at < split[b] ? near[b] : far[b]);
			words[place] = x;
			if (format == R12) to[place] = stagedRows[at];
		}
	}
};

// A pass over a column. Numbers of 32 bits are the upper half of those of 64.
template <class Word, int threads, int items, Format format, class Function, class Room>
__global__ void __launch_bounds__(threads, 2) first_pass(const Word* column, Records out, Function f, Room room) {
	typedef Tile<threads, items, format, Function> FirstTile;
	const int vector = 16 / sizeof(Word);
	FirstTile tile(shared_memory());
	tile.begin(f, 0);
	u32 first = block_index() * FirstTile::size + warp_index() * 32 * items + lane_index() * vector;
	Word x[items];
	auto place = [&](int i) { return (u32)(i / vector * 32 * vector + i % vector); };
	UNROLL for (int i = 0; i < items; i += vector) load_vector(column + first + place(i), x + i);
	auto row = [&](int i) { return first + place(i); };
	auto number = [&](int i) {
		u64 wide = (u64)x[i] << (64 - 8 * sizeof(Word));
		return format == C8 ? (wide & ~0ull << 28) | row(i) : wide;
	};
	tile.template scatter<true>(out, f, room, 0, 0, number, row, [](int) { return true; });
}

// A section of a bin: records `first` to `first + count` of the pages of the first pass.
struct Section {
	u32 first, count, bin;
};

// A pass over the records of bins. Each bin has a set of borders.
template <int threads, int items, Format format, class Function, class Room>
__global__ void __launch_bounds__(threads, 2)
    second_pass(Records in, const Section* sections, Records out, Function f, Room room) {
	typedef Tile<threads, items, format, Function> SecondTile;
	Section s = sections[block_index()];
	SecondTile tile(shared_memory());
	tile.begin(f, s.bin);
	u32 mine = warp_index() * 32 * items + lane_index() * 2;
	u64 x[items];
	auto place = [&](int i) { return mine + i / 2 * 64 + i % 2; };
	auto inside = [&](int i) { return place(i) < s.count; };
	bool whole = s.count == SecondTile::size;
	UNROLL for (int i = 0; i < items; i += 2) { // pages are multiples of two records
		u64 two[2] = {0, 0};
		if (whole || place(i) < s.count) load_vector(in.words + s.first + place(i), two);
		x[i] = two[0], x[i + 1] = two[1];
	}
	auto number = [&](int i) { return x[i]; };
	// Rows of R12 are loaded when they are staged, or compared: registers are few.
	const u32* rows = in.rows + s.first;
	auto row = [&](int i) { return format == R12 ? load(rows + place(i)) : (u32)x[i]; };
	if (whole) tile.template scatter<true>(out, f, room, s.bin * 256, s.count, number, row, inside);
	else tile.template scatter<false>(out, f, room, s.bin * 256, s.count, number, row, inside);
}
