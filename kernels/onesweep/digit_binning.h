// One pass of Onesweep (paper, section 3 and figure 8): a tile is counted, its counts are published, its rows are
// ranked and staged in shared memory bin by bin while the counts of preceding tiles arrive, and the bins are written.
#pragma once
#include "common/look_back.h"
#include "onesweep/readers.h"
#include "onesweep/tile.h"
#include "onesweep/value_records.h"

const int LOOK_BACK_EVERY = 8; // items ranked between two steps of the look-back

// Ranks the rows and stages them bin by bin. between(i) is called after item i, so that waiting overlaps ranking.
template <class S, class Reader, class Stage, class Between>
DEVICE void stage_rows(const Stage& stage, const TileMemory<S>& m, const Reader& r, const Pass& p, Between between) {
	DigitPlace digit(m, Reader::place, p.bits);
	u32* places = m.of_warp();
	UNROLL for (int i = 0; i < S::items; i++) {
		stage.put(take_place(places, digit.of(r.digits(i))), r, i);
		between(i);
	}
}

// Ends the look-back of a bin and publishes the inclusive count.
template <class S> DEVICE void finish_look_back(const TileMemory<S>& m, const Pass& p, u32 tile, u32 tiles, u32 rows,
                                                LookBack& back, const StatusCodes& codes) {
	u32 bin = thread_index();
	while (!back.done) back.ask(), back.take(codes);
	u32 inclusive = back.sum + rows;
	if (tile > 0) store_relaxed(p.status + (u64)tile * RADIX_BINS + bin, inclusive | codes.inclusive);
	u32 base = p.base[bin];
	m.shifts[bin] = base + back.sum - m.starts[bin];
	if (p.next && tile == tiles - 1) p.next[bin] = base + inclusive;
}

// A block bins one tile, and looks back for its prefix.
template <class S, class Reader, class Writer>
DEVICE void bin_tile(const Pass& p, const TileMemory<S>& m, u32 tile, u32 tiles) {
	TileRows<S> rows(p, tile);
	typename Reader::Format::Stage stage(shared_memory(), S::rows);
	StatusCodes codes((u32)p.phase);
	Reader r(p.binning);

	r.load(rows.of_warp());
	r.settle(rows.of_warp());
	count_digits(m, r, p);
	sync_block();

	BinCounts<S> bin;
	if (thread_index() < RADIX_BINS)
		bin.publish(m, p, tile, rows.padding(), tile == 0 ? codes.inclusive : codes.partial);
	sync_block();
	if (thread_index() < RADIX_BINS) bin.place(m);
	sync_block();

	LookBack back(p.status + thread_index(), tile);
	bool asked = false;
	stage_rows(stage, m, r, p, [&](int i) {
		if (i % LOOK_BACK_EVERY != LOOK_BACK_EVERY - 1 || i == S::items - 1 || thread_index() >= RADIX_BINS) return;
		if (asked) back.take(codes);
		back.ask();
		asked = true;
	});
	if (thread_index() < RADIX_BINS) {
		if (asked) back.take(codes);
		finish_look_back(m, p, tile, tiles, bin.rows, back, codes);
	}
	sync_block();

	scatter(stage, m, Writer(p.binning), p, rows.count);
}

template <class S, template <class> class Reader, class Writer> DEVICE void bin_digits(const Pass& p) {
	TileMemory<S> m(shared_memory() + S::rows * Reader<S>::Format::bytes);
	m.clear_counters();
	wait_for_earlier_kernels();
	let_later_kernels_start(); // not before: one kernel waits at a time
	m.begin(p);
	sync_block();
	u32 tile = m.control[0], tiles = (u32)((p.strip + S::rows - 1) / S::rows);
	bin_tile<S, Reader<S>, Writer>(p, m, tile, tiles);
}

#define DIGIT_BINNING(name, Shape, Reader, Writer) \
	KERNEL(name, BINNING_THREADS, 2) \
	(const Field* field, const u64* in, const u32* inRows, u64* out, u32* outRows, u64 rowBits, u64 parts, u64 first, \
	 u64 strip, u64 shift, u64 bits, const u32* base, u32* next, u32* status, u32* ticket, u64 phase) { \
		Binning b = {field, in, inRows, out, outRows, rowBits, parts}; \
		bin_digits<Shape, Reader, Writer>(Pass{b, first, strip, shift, bits, base, next, status, ticket, phase}); \
	}
