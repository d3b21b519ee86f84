// Makes an equalized map, from a large sample, of a column of which the map of the sample leaves some buckets too
// large; or finds that it spreads the rows no better.
#pragma once
#include "sample/equalizer.h"
#include "sample/large_sample.h"

const u32 CELLS_OF_PIECE = 8;      // cells in which rows of a piece are counted, to see whether they are spread evenly
const u32 BASE_GROUP_BITS = 10;    // bits of the groups that are enough to choose a base
const u32 TRIAL_GROUP_BITS = 12;   // of those of a trial: most columns that it does not suit decline there
const u32 EQUALIZE_SLOT_BITS = 14; // of a table of keys

// Shared memory of the block.
struct EqualizeMemory {
	static const u32 cells = EQUALIZER_PIECES * CELLS_OF_PIECE;

	Map map, wanted; // of the sample; the equalized one
	u32 made;        // whether there is a base
	u32 fullest[64]; // rows of 32 parts of the codes of either base
	u64 pairs[2];    // of rows that share a cell, each twice; that share a piece
	u32 tied[3];     // see Ties
	u32 rows[cells]; // of cells, later a tree of the rows of pieces: the children of k are 2k and 2k + 1
	u32 table[1 << EQUALIZE_SLOT_BITS];
	Piece pieces[2 * EQUALIZER_PIECES]; // the same tree
};
static_assert(sizeof(EqualizeMemory) <= EQUALIZE_BYTES, "the shared memory of equalize");

struct Equalize {
	const Buckets* b;
	const Field* f;
	EqualizeMemory& m;
	const LargeSample<u64> sample;
	typedef LargeSample<u64>::Ties<EQUALIZE_SLOT_BITS> Ties;

	DEVICE Equalize(const Buckets* b, EqualizeMemory& m) : b(b), f(&b->field), m(m), sample(b, &m.map) {}

	// Makes a linear map, or one of values, of three times the range of the sample: in a column of very many rows some
	// are far outside, and pieces without rows take few codes. Returns false if there is none.
	DEVICE bool make_base(EqualizerBase base) {
		if (thread_index() == 0)
			m.made = base == BASE_VALUES ? make_value_map(&m.wanted, m.map.low, m.map.last, 1, sample.numbers.flip,
			                                              f->sign, (u32)b->bits, (u32)b->rowBits)
			                             : make_linear_map();
		sync_block();
		return m.made;
	}
	DEVICE bool make_linear_map() {
		u64 least = m.map.low, greatest = m.map.last, span = greatest - least;
		u64 low = least > span ? least - span : 0, last = ~greatest > span ? greatest + span : ~0ull;
		make_map(&m.wanted, low, last, ~0ull, 0, (u32)b->rowBits);
		return !m.wanted.narrow;
	}
	// Magnitudes are those of the sides on which there are numbers in the range.
	DEVICE void make_magnitudes() {
		if (thread_index() == 0) {
			bool descending = f->mul != 1;
			u64 zero = sample.numbers.flip + descending;
			bool wraps = descending && zero == 0;
			m.wanted.zero = zero, m.wanted.rowLeft = 32 - b->rowBits;
			m.wanted.sides = wraps || m.map.last < zero ? +LESS_THAN_ZERO
			                 : m.map.low >= zero        ? +FROM_ZERO_ON
			                                            : +BOTH_SIDES;
		}
		sync_block();
	}
	// The base that spreads the rows over more of 32 parts of its codes.
	DEVICE EqualizerBase choose_base() {
		if (m.map.floating) return BASE_VALUES;
		if (f->form != FORM_INTEGER) return BASE_LINEAR;
		make_magnitudes();
		Equalizer linear(&m.map, BASE_LINEAR, nullptr), magnitudes(&m.wanted, BASE_MAGNITUDES, nullptr);
		if (thread_index() < 64) m.fullest[thread_index()] = 0;
		sync_block();
		sample.for_values<2>(BASE_GROUP_BITS, [&](bool is, u64 x, u32 row) {
			if (!is) return;
			atomic_add(m.fullest + (linear.base_code(x, row) >> 59), 1u);
			atomic_add(m.fullest + 32 + (magnitudes.base_code(x, row) >> 59), 1u);
		});
		sync_block();
		u32 ofLinear = warp_max(m.fullest[lane_index()]), ofMagnitudes = warp_max(m.fullest[32 + lane_index()]);
		return ofMagnitudes < ofLinear ? BASE_MAGNITUDES : BASE_LINEAR;
	}

	// Counts the rows of cells, and those that tie.
	DEVICE void count(EqualizerBase base, u32 groupBits, const Ties& ties) {
		for (bool again = true; again;) {
			Equalizer equalizer(&m.wanted, base, nullptr);
			bool outside = false;
			for (u32 i = thread_index(); i < EqualizeMemory::cells; i += SAMPLE_THREADS) m.rows[i] = 0;
			if (thread_index() < 3) m.tied[thread_index()] = 0;
			if (thread_index() < 2) m.pairs[thread_index()] = 0;
			sync_block();
			sample.for_values<2>(groupBits, [&](bool is, u64 x, u32 row) {
				const u64 code = equalizer.base_code(x, row);
				outside |= is && base == BASE_MAGNITUDES && equalizer.is_outside(x);
				if (is) atomic_add(m.rows + code / (~0ull / EqualizeMemory::cells + 1), 1u);
				if (row % 2 == 0) ties.add(is, code); // the first of its group, of all lanes
			});
			again = sync_block_or(outside); // numbers on the other side of zero
			if (again && thread_index() == 0) m.wanted.sides = BOTH_SIDES;
			sync_block();
		}
	}
	// Sums the rows of pieces. Reports whether rows share cells more often than rows that are spread evenly in pieces.
	DEVICE bool is_crowded() {
		const u32 each = EQUALIZER_PIECES / SAMPLE_THREADS;
		u32 piece[each];
		u64 inCells = 0, inPieces = 0;
		UNROLL for (u32 k = 0; k < each; k++) {
			const u32* cell = m.rows + (k * SAMPLE_THREADS + thread_index()) * CELLS_OF_PIECE;
			piece[k] = 0;
			for (u32 i = 0; i < CELLS_OF_PIECE; i++) piece[k] += cell[i], inCells += pairs_of(cell[i]);
			inPieces += pairs_of(piece[k]);
		}
		inCells = warp_sum(inCells), inPieces = warp_sum(inPieces);
		if (lane_index() == 0) atomic_add(m.pairs, inCells), atomic_add(m.pairs + 1, inPieces);
		sync_block();
		UNROLL for (u32 k = 0; k < each; k++) m.rows[EQUALIZER_PIECES + k * SAMPLE_THREADS + thread_index()] = piece[k];
		return (float)m.pairs[0] * CELLS_OF_PIECE > MOST_CROWDED * (float)m.pairs[1];
	}
	DEVICE static u64 pairs_of(u32 rows) { return rows ? (u64)rows * (rows - 1) : 0; }

	// Divides the codes from the root of the tree down, and publishes the pieces.
	DEVICE void divide() {
		const u32 t = thread_index();
		for (u32 level = EQUALIZER_PIECES / 2; level > 0; level /= 2) {
			sync_block();
			if (t < level) m.rows[level + t] = m.rows[2 * (level + t)] + m.rows[2 * (level + t) + 1];
		}
		if (t == 0) m.pieces[1] = {0, ~0u};
		for (u32 level = 1; level < EQUALIZER_PIECES; level *= 2) {
			sync_block();
			if (t < level) divide(level + t, EQUALIZER_PIECES / 2 / level);
		}
		sync_block();
		for (u32 k = t; k < EQUALIZER_PIECES; k += SAMPLE_THREADS)
			((Piece*)b->pieces)[k] = m.pieces[EQUALIZER_PIECES + k];
	}
	// Halves differ only if their rows differ by more than 2.4 standard deviations: less is chance. Each piece has a
	// code at least; those without sampled rows have as many as for half of a row.
	DEVICE void divide(u32 node, u32 piecesOfHalf) {
		const Piece all = m.pieces[node];
		u64 left = m.rows[2 * node], right = m.rows[2 * node + 1], more = left > right ? left - right : right - left;
		u64 width = more * more <= 6 * (left + right) ? all.width / 2
		                                              : all.width * (2 * left + 1) / (2 * (left + right + 1));
		if (width < piecesOfHalf) width = piecesOfHalf;
		if (width > all.width - piecesOfHalf) width = all.width - piecesOfHalf;
		m.pieces[2 * node] = {all.first, (u32)width};
		m.pieces[2 * node + 1] = {all.first + (u32)width, all.width - (u32)width};
	}

	// Counts a sample. Reports whether the base spreads its rows.
	DEVICE bool spreads(EqualizerBase base, u32 groupBits) {
		const Ties ties(m.table, m.tied, groupBits);
		count(base, groupBits, ties);
		const bool crowded = is_crowded(), tie = ties.partners(b->n, groupBits) > MOST_PARTNERS && m.tied[2] > 1;
		sync_block();
		return !crowded && !tie;
	}
	// Makes the map, in shared memory, and publishes the pieces. Returns false if there is none that spreads the rows.
	DEVICE bool run() {
		const u32 bits = sample.group_bits();
		const EqualizerBase base = choose_base();
		if (base != BASE_MAGNITUDES && !make_base(base)) return false;
		if (bits > TRIAL_GROUP_BITS && !spreads(base, TRIAL_GROUP_BITS)) return false;
		if (!spreads(base, bits)) return false;
		divide();
		if (thread_index() == 0) {
			Map& map = m.wanted;
			map.equalized = base, map.floating = map.narrow = 0;
			if (base == BASE_MAGNITUDES) {
				map.low = map.sides == FROM_ZERO_ON ? map.zero : 0;
				map.last = map.sides == LESS_THAN_ZERO ? map.zero - 1 : ~0ull;
			}
		}
		return true;
	}
};
