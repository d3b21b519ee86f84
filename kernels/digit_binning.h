// One pass of Onesweep (paper, section 3 and figure 8): a tile is counted, its counts are published, its rows are ranked and
// staged in shared memory bin by bin while the counts of earlier tiles come in, and the bins are written out.
#pragma once
#include "look_back.h"
#include "ranking.h"
#include "records.h"

// A Pass is the arguments of a digit binning kernel.
struct Pass {
	const Binning* binning;
	u64 first, strip, shift, bits;
	const u32* base;
	u32 *next, *status, *ticket;
	u64 phase;
};

const int BINNING_WARPS = BINNING_THREADS / 32;
const int LOOK_BACK_EVERY = 8; // items ranked between two looks back

// The block's shared memory behind the stage.
struct TileMemory {
	u32* places;           // of each warp: a counter, then the next place of each bin
	u32* starts;           // where each bin starts in the stage
	u32* shifts;           // what to add to a place in the stage for the place in the output
	volatile u32* control; // 0: the tile, 1: the digit's shift; sums of warps behind

	DEVICE explicit TileMemory(u8* memory)
	    : places((u32*)memory), starts(places + BINNING_WARPS * RADIX_BINS), shifts(starts + RADIX_BINS), control(shifts + RADIX_BINS) {}
};

// A DigitPlace takes the digit out of a code. It is read from shared memory again for each phase: a compiler that sees that the
// digits are the same all along keeps them in registers, and spills.
struct DigitPlace {
	u32 shift, mask;
	DEVICE DigitPlace(const TileMemory& m, u64 bits) : shift(m.control[1]), mask((1u << bits) - 1) {}
	DEVICE u32 of(u64 code) const { return (u32)(code >> shift) & mask; }
};

template <class Record> DEVICE void count_digits(const TileMemory& m, const typename Record::Registers& r, const Pass& p) {
	DigitPlace digit(m, p.bits);
	u32* counters = m.places + warp_index() * RADIX_BINS;
	UNROLL for (int i = 0; i < Record::items; i++) atomic_add(counters + digit.of(r.code[i]), 1u);
}

// The counts of a bin: of each warp, and of the tile. The first RADIX_BINS threads have a bin each.
struct BinCounts {
	u32 ofWarp[BINNING_WARPS], rows, start;

	// Adds the warps' counts up and publishes the sum.
	DEVICE void publish(const TileMemory& m, const Pass& p, u32 tile, const StatusCodes& codes) {
		rows = 0;
		UNROLL for (int w = 0; w < BINNING_WARPS; w++) {
			ofWarp[w] = m.places[w * RADIX_BINS + thread_index()];
			rows += ofWarp[w];
		}
		store_relaxed(p.status + (u64)tile * RADIX_BINS + thread_index(), rows | (tile == 0 ? codes.inclusive : codes.partial));
		u32 total;
		start = warp_exclusive_sum(rows, &total);
		if (lane_index() == 0) m.control[2 + warp_index()] = total;
	}

	// Turns the counts into places in the stage.
	DEVICE void place(const TileMemory& m) {
		for (u32 w = 0; w < warp_index(); w++) start += m.control[2 + w];
		m.starts[thread_index()] = start;
		UNROLL for (int w = 0; w < BINNING_WARPS; w++) {
			m.places[w * RADIX_BINS + thread_index()] = start;
			start += ofWarp[w];
		}
	}
};

// Ranks the rows and stages them, looking back in between.
template <class Record>
DEVICE void stage_rows(const typename Record::Stage& stage, const TileMemory& m, const typename Record::Registers& r, const Pass& p,
                       LookBack& back, const StatusCodes& codes) {
	DigitPlace digit(m, p.bits);
	u32* places = m.places + warp_index() * RADIX_BINS;
	bool asked = false;
	UNROLL for (int i = 0; i < Record::items; i++) {
		stage.put(take_place(places, digit.of(r.code[i])), r, i);
		if (i % LOOK_BACK_EVERY == LOOK_BACK_EVERY - 1 && thread_index() < RADIX_BINS) {
			if (asked) back.take(codes);
			back.ask();
			asked = true;
		}
	}
	if (thread_index() < RADIX_BINS && asked) back.take(codes);
}

// Ends the look-back of a bin and publishes the inclusive count.
DEVICE void finish_look_back(const TileMemory& m, const Pass& p, u32 tile, u32 rows, LookBack& back, const StatusCodes& codes) {
	u32 bin = thread_index();
	while (!back.done) {
		back.ask();
		back.take(codes);
	}
	u32 inclusive = back.sum + rows;
	if (tile > 0) store_relaxed(p.status + (u64)tile * RADIX_BINS + bin, inclusive | codes.inclusive);
	u32 base = p.base[bin];
	m.shifts[bin] = base + back.sum - m.starts[bin];
	if (p.next && tile == grid_blocks() - 1) p.next[bin] = base + inclusive;
}

template <class Writer> DEVICE void write_item(const Packed::Stage& s, u32 at, u32 place, const Writer& w) { w.put(place, s.record[at]); }
template <class Writer> DEVICE void write_item(const Wide::Stage& s, u32 at, u32 place, const Writer& w) { w.put(place, s.code[at], s.row[at]); }
DEVICE u64 code_at(const Packed::Stage& s, u32 at) { return s.record[at]; }
DEVICE u64 code_at(const Wide::Stage& s, u32 at) { return s.code[at]; }

// Writes the bins out. Rolled, and the next record is read before this one is stored: stores that come all at once hold up the
// other block's ranking.
template <class Record, class Writer>
DEVICE void scatter(const typename Record::Stage& stage, const TileMemory& m, const Pass& p, u32 rows) {
	DigitPlace digit(m, p.bits);
	Writer writer(*p.binning);
	u32 at = thread_index();
	typename Record::One next = stage.get(at);
	ROLLED for (; at < rows; at += BINNING_THREADS) {
		typename Record::One record = next;
		next = stage.get(at + BINNING_THREADS); // behind the tile it reads counters, and does nothing with them
		writer.put(m.shifts[digit.of(record.code)] + at, record);
	}
}

template <class Record, class Reader, class Writer> DEVICE void bin_digits(const Pass& p) {
	const u32 tileRows = BINNING_THREADS * Record::items;
	typename Record::Stage stage(shared_memory());
	TileMemory m(shared_memory() + tileRows * Record::bytes);
	StatusCodes codes((u32)p.phase);

	if (thread_index() == 0) {
		m.control[0] = atomic_add(p.ticket, 1u); // tiles in the order in which blocks start: an earlier tile never waits for a later one
		m.control[1] = (u32)(p.shift + (Record::bytes == Packed::bytes ? p.binning->rowBits : 0));
	}
	for (u32 i = thread_index(); i < BINNING_WARPS * RADIX_BINS; i += BINNING_THREADS) m.places[i] = 0;
	sync_block();
	u32 tile = m.control[0];
	u64 tileFirst = p.first + (u64)tile * tileRows, end = p.first + p.strip;

	typename Record::Registers r;
	Reader::load(r, *p.binning, Place{tileFirst + warp_index() * 32 * Record::items, end});
	count_digits<Record>(m, r, p);
	sync_block();

	BinCounts bin;
	if (thread_index() < RADIX_BINS) bin.publish(m, p, tile, codes);
	sync_block();
	if (thread_index() < RADIX_BINS) bin.place(m);
	sync_block();

	LookBack back;
	back.start(p.status + thread_index(), tile);
	stage_rows<Record>(stage, m, r, p, back, codes);
	if (thread_index() < RADIX_BINS) finish_look_back(m, p, tile, bin.rows, back, codes);
	sync_block();

	scatter<Record, Writer>(stage, m, p, (u32)(end - tileFirst < tileRows ? end - tileFirst : tileRows));
}

#define DIGIT_BINNING(name, Record, Reader, Writer)                                                                                     \
	KERNEL(name, BINNING_THREADS, 2)                                                                                                    \
	(const Binning* b, u64 first, u64 strip, u64 shift, u64 bits, const u32* base, u32* next, u32* status, u32* ticket, u64 phase) {     \
		bin_digits<Record, Reader, Writer>(Pass{b, first, strip, shift, bits, base, next, status, ticket, phase});                       \
	}
