// A tile of digit binning in shared memory: its counters, its digits, and how it is written out.
#pragma once
#include "common/ranking.h"
#include "onesweep/records.h"

// A Pass is the arguments of a digit binning kernel.
struct Pass {
	Binning binning;
	u64 first, strip, shift, bits;
	const u32* base;
	u32 *next, *status, *ticket;
	u64 phase;
};

// A Shape is the size of a tile: the rows of each thread. Two tiles fit a multiprocessor.
template <int items_> struct Shape {
	static const int threads = BINNING_THREADS, items = items_, warps = threads / 32, rows = threads * items;
};
typedef Shape<BINNING_ITEMS> PackedShape;
typedef Shape<BINNING_WIDE_ITEMS> WideShape;
typedef Shape<BINNING_VALUE_ITEMS> ValueShape; // of values of 4 bytes

// The rows of a tile.
template <class S> struct TileRows {
	u64 first;
	u32 count;

	DEVICE TileRows(const Pass& p, u32 tile) : first(p.first + (u64)tile * S::rows) {
		u64 left = p.first + p.strip - first;
		count = left < S::rows ? (u32)left : S::rows;
	}
	DEVICE u32 padding() const { return S::rows - count; } // places of the last tile that hold no row
	DEVICE Place of_warp() const { return {first + warp_index() * 32 * S::items, first + count, 32 * S::items}; }
};

// The block's shared memory after the stage.
template <class S> struct TileMemory {
	u32* places;           // of each warp: a counter, then the next place of each bin
	u32* starts;           // where each bin starts in the stage
	u32* shifts;           // the difference of a place in the output and a place in the stage
	volatile u32* control; // 0: the tile; then the shifts of DigitPlace, and sums of warps

	DEVICE explicit TileMemory(u8* memory)
	    : places((u32*)memory), starts(places + S::warps * RADIX_BINS), shifts(starts + RADIX_BINS),
	      control(shifts + RADIX_BINS) {}

	// Blocks take tiles in the order in which they start: a tile never waits for a later one.
	DEVICE void begin(const Pass& p) const {
		if (thread_index() == 0) {
			control[0] = atomic_add(p.ticket, 1u);
			control[CODE_SHIFT] = (u32)p.shift;
			control[RECORD_SHIFT] = (u32)(p.shift + p.binning.rowBits);
		}
	}
	DEVICE void clear_counters() const {
		Words4* mine = (Words4*)(places + warp_index() * RADIX_BINS);
		UNROLL for (u32 i = 0; i < RADIX_BINS / 4; i += 32) mine[i + lane_index()] = {0, 0, 0, 0};
	}
	DEVICE u32* of_warp() const { return places + warp_index() * RADIX_BINS; } // the counters of this warp
	DEVICE volatile u32* sums() const { return control + 4; } // of warps
};

// A DigitPlace extracts the digit from a code or a record. Its shift is read from shared memory again for each phase: a
// compiler that sees that the digits do not change keeps them in registers, and spills.
struct DigitPlace {
	u32 shift, mask;
	template <class S> DEVICE DigitPlace(const TileMemory<S>& m, int place, u64 bits)
	    : shift(m.control[place]), mask((1u << bits) - 1) {}
	template <class Word> DEVICE u32 of(Word code) const { return (u32)(code >> shift) & mask; }
};

// Counts the digits of the rows of each warp.
template <class S, class Reader> DEVICE void count_digits(const TileMemory<S>& m, const Reader& r, const Pass& p) {
	DigitPlace digit(m, Reader::place, p.bits);
	u32* counters = m.of_warp();
	UNROLL for (int i = 0; i < S::items; i++) atomic_add(counters + digit.of(r.digits(i)), 1u);
}

// The counts of a bin: of each warp, and of the tile. The first RADIX_BINS threads have a bin each.
template <class S> struct BinCounts {
	u32 ofWarp[S::warps], rows, start;

	// Sums the warps' counts and publishes the sum. Padding is in the last bin, and not counted.
	DEVICE void publish(const TileMemory<S>& m, const Pass& p, u32 tile, u32 padding, u32 code) {
		u32 bin = thread_index(), all = 0, total;
		UNROLL for (int w = 0; w < S::warps; w++) {
			ofWarp[w] = m.places[w * RADIX_BINS + bin];
			all += ofWarp[w];
		}
		rows = bin == (1u << p.bits) - 1 ? all - padding : all;
		stall(tile);
		store_relaxed(p.status + (u64)tile * RADIX_BINS + bin, rows | code);
		start = warp_exclusive_sum(all, &total);
		if (lane_index() == 0) m.sums()[warp_index()] = total;
	}

	// Turns the counts into places in the stage.
	DEVICE void place(const TileMemory<S>& m) {
		for (u32 w = 0; w < warp_index(); w++) start += m.sums()[w];
		m.starts[thread_index()] = start;
		UNROLL for (int w = 0; w < S::warps; w++) m.places[w * RADIX_BINS + thread_index()] = start, start += ofWarp[w];
	}
};

// Writes the bins. The loop is rolled, and the next record is read before this one is stored: many stores at once would
// delay the ranking of other blocks.
template <class S, class Stage, class Writer>
DEVICE void scatter(const Stage& stage, const TileMemory<S>& m, const Writer& writer, const Pass& p, u32 rows) {
	DigitPlace digit(m, Stage::place, p.bits);
	u32 at = thread_index();
	if (rows < S::rows) {
		ROLLED for (; at < rows; at += S::threads) {
			auto record = stage.get(at);
			writer.put(m.shifts[digit.of(record.digits())] + at, record);
		}
		return;
	}
	auto next = stage.get(at);
	ROLLED for (int i = 1;; i++) {
		auto record = next;
		u32 place = m.shifts[digit.of(record.digits())] + at;
		at += S::threads;
		if (i < S::items) next = stage.get(at);
		writer.put(place, record);
		if (i == S::items) return;
	}
}
