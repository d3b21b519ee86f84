// What a sample of a column suggests: a map that spreads the rows, heavy values, and whether partition and bucket sort
// suits.
#pragma once
#include "sample/key_ranges.h"
#include "sample/large_sample.h"
#include "sample/sampled_fixed_point.h"
#include "sample/sample_ties.h"

const float UNEVEN = 1.15f; // the rows near a row, times their mean: with more, many buckets may be too large
const u32 FEW_TIES = 16;    // of the sample: a larger one, of 2^15 rows at most, counts them again
const u32 MOST_TIE_BITS = 15;
const u64 FEW_ROWS = 1 << 14;       // in tests: too few for a larger sample
const float MOST_REST_PARTNERS = 4; // of a row: numbers and rests of rows that tie are fetched
const float MOST_LARGE = 1.75f; // bucket ranges: with more rows in the bucket of a row the key scan declines
const u32 FIXED_TIES = 4;   // of the sample: fewer do not slow the bucket sort of floats
const u32 SPLIT_SHARE = 64;         // split_heavy takes values of at least this fraction of the rows
const float EVEN_PARTS = 1.035f, EVEN_SIXTEENTHS = 1.008f; // rows near a row, times their mean, in the widened range
const float EVEN_NEIGHBOURS = 1.3f;                        // of a row that tie with it

// How unevenly rows lie: see crowding.
struct Crowd {
	float parts, cells, sixteenths;
};

template <class Word, u32 rows> struct Sampler : SampleTies<Word, rows> {
	using Ties = SampleTies<Word, rows>;
	using Ties::add_up, Ties::b, Ties::below_bins, Ties::cell_bits, Ties::clear, Ties::distance_shift, Ties::f,
	    Ties::find_heavy, Ties::find_near, Ties::find_range, Ties::group, Ties::is_exact, Ties::m, Ties::make,
	    Ties::number, Ties::octaves, Ties::read, Ties::stride, Ties::values, typename Ties::Memory;

	using Ties::Ties;
	SampledFixedPoint fixed;

	DEVICE bool may_read_more() const { return b->readsMore && b->n >= FEW_ROWS; }
	// A few ties: more or less of them may be chance.
	DEVICE bool few_ties() const {
		u64 form = f->form;
		return may_read_more() && form != FORM_KEYS && form != FORM_RANK &&
		       m.sums->ties - m.sums->neighbours - 1 < FEW_TIES;
	}
	// The reason to decline. Rows that tie with many others are sorted faster by digits, and so are adjacent rows that
	// tie in 4-byte numbers: otherwise their numbers are fetched. Bits of the row number, after short codes and within
	// short floats, separate equal rows as far as these are spread over the column.
	DEVICE u32 reason_to_decline(const Map* map, Word least, Word greatest) const {
		const SampleSums s = *m.sums;
		u32 sample = rows < b->n ? rows : (u32)b->n;
		float rowsOfHit = (float)b->n / sample;
		const bool few = s.sampled * 64 < sample; // records to decide by
		if (few && can_split(b)) return REASON_EQUAL; // digits sort any
		if (few) return s.fullest > 1 && s.fullest * rowsOfHit > BUCKET_SORT_LARGE_ROWS ? REASON_LARGE : REASON_NONE;
		bool floating = map->floating != 0;
		if (map->rests && map->narrow) return REASON_EQUAL; // a prefix does not stand for one key
		if (!floating && b->minimumBits < 64 && (u64)(greatest - least) >> stride >> b->minimumBits == 0)
			return REASON_FEW_BITS;
		if (b->valuesOnly) return has_oversized_bucket(map, (float)s.fullest, sample) ? REASON_LARGE : REASON_NONE;
		// tiedNeighbours: of a row, its neighbours that tie with it.
		float pairs = 0.5f * s.sampled, tiedNeighbours = s.neighbours / (pairs - s.neighbours + 0.5f);
		float codes = (float)(1ull << map->left) / (float)(1u << below_bins(map));
		float bins = (sizeof(Word) == 4 && floating ? 8.0f : codes) * spread(); // of equal rows
		float most = 8.0f * (bins > 1 ? bins : 1) + 4 * tiedNeighbours; // tiedNeighbours may be met twice
		if (map->rests) most = MOST_REST_PARTNERS;
		float partners = 2.0f * (s.ties - s.neighbours) * b->n / ((float)sample * sample); // of a row, 0 of a class
		if (few_ties() && partners <= most && most < 2 * MOST_PARTNERS)
			partners = partners_of_column(b, map, (u8*)m.keys);
		float near = s.nearHits > 1 ? 4.0f * octaves(b->n) * s.near / rows : 0; // of a row; a single hit is chance
		if (partners > most || (sizeof(Word) == 4 && s.neighbours > 0.35f * s.sampled)) return REASON_EQUAL;
		if (is_exact(map) && near > 8 + 4 * tiedNeighbours) return REASON_EQUAL;
		if (near > 2 * tiedNeighbours) tiedNeighbours = near;
		const bool large = has_large_groups(tiedNeighbours + 1, (float)s.sampled / sample) ||
		                   has_oversized_bucket(map, (float)s.fullest, sample);
		return large ? REASON_LARGE : REASON_NONE;
	}
	// An upper bound for the share of the column over which rows that tie are spread. Two random places in it are a
	// third of it apart on average; few ties may be closer by chance.
	DEVICE float spread() const {
		float ties = (float)(m.sums->ties - m.sums->neighbours) + 0.1f, units = (float)(b->n >> distance_shift());
		float share = 3.0f * (float)m.sums->distance / (ties * units) * (1 + 4 / ties);
		return share < 1 ? share : 1;
	}
	// Reports whether groups of equal adjacent rows take longer than digits do: a group has more rows than a warp has
	// lanes, or many buckets are larger than a bucket range, which is less than 1.4 standard deviations above the mean.
	DEVICE bool has_large_groups(float group, float share) const {
		float mean = share * b->n / (float)(1u << b->bits), room = BUCKET_RANGE_ROWS - mean;
		return group > 32 || (group > 2 && (room < 0 || room * room < 2 * mean * group));
	}
	// Reports whether a cell with the given sampled rows has a bucket that is too large: five standard deviations are
	// no chance. Row numbers spread the rows of short codes. moreBits: of buckets.
	DEVICE bool has_oversized_bucket(const Map* map, float hits, u32 sample, u32 moreBits = 0) const {
		if (map->left > 32 - CELL_BITS && !b->valuesOnly) return false;
		float mean = BUCKET_SORT_LARGE_ROWS * (float)(1u << (b->bits + moreBits - cell_bits())) * sample / b->n;
		float above = hits - mean - 4;
		return above > 0 && above * above > 25 * mean;
	}
	// Reports whether equalize is worth trying, if this map is not good enough.
	DEVICE bool may_equalize(const Map* map, u32 reason, Crowd crowd) const {
		const u64 sample = rows < b->n ? rows : b->n;
		const u64 form = f->form;
		const bool can = sizeof(Word) == 8 && !b->valuesOnly && form != FORM_KEYS && form != FORM_RANK &&
		                 !map->narrow && may_read_more();
		if (!can || few_others(b, m.sums->sampled, sample)) return false;
		if (reason == REASON_NONE) return m.sums->sampled * 4 >= sample && crowd.parts > UNEVEN;
		return reason == REASON_EQUAL || reason == REASON_LARGE;
	}
	// Reports whether fixed-point numbers would be sorted faster than floats, which are slow for a reason, or tie.
	DEVICE bool may_fix_point(bool slow) const {
		return b->fixesPoint && f->form == FORM_FLOAT && (slow || m.sums->ties >= FIXED_TIES) &&
		       !few_others(b, m.sums->sampled, rows < b->n ? rows : b->n);
	}
	DEVICE void report_fixed_point(Report* report) const {
		report->statistics.notMin[0] = fixed.integers.notLeast, report->statistics.max[0] = fixed.integers.greatest;
		fence_system();
		store_system(&report->sample, STATUS_FIXED_POINT | (u64)fixed.digits * STATUS_CONSTANT);
	}
	// Reports whether the bucket of a row has, on average, more rows than a bucket range, and would not if there were
	// more buckets. Rows of 4-byte keys that are crowded in few cells would share bins, too, and digits are few.
	DEVICE bool needs_more_buckets(const Map* map, u32 reason, Crowd crowd) const {
		const u32 sample = rows < b->n ? rows : (u32)b->n;
		if (b->moreBits == 0 || (reason != REASON_NONE && reason != REASON_LARGE) || map->left > 32 - CELL_BITS ||
		    few_others(b, m.sums->sampled, sample))
			return false;
		const float near = crowd.parts * m.sums->sampled / sample * b->n / (float)(1u << b->bits);
		return near > BUCKET_RANGE_ROWS && near < BUCKET_RANGE_ROWS * (float)(1u << b->moreBits) &&
		       (sizeof(Word) == 8 || crowd.cells < MOST_CROWDED * crowd.parts) &&
		       !has_oversized_bucket(map, (float)m.sums->fullest, sample, (u32)b->moreBits);
	}
	// Reports whether most rows are in buckets that are too large, which the key scan would find late.
	DEVICE bool has_large_buckets(Crowd crowd) const {
		const u32 sample = rows < b->n ? rows : (u32)b->n;
		return crowd.parts * m.sums->sampled / sample * b->n / (float)(1u << b->bits) > MOST_LARGE * BUCKET_RANGE_ROWS;
	}
	// Reports whether rows lie so evenly that buckets have pages: the column is values that are neither near equal ones
	// nor of a few numbers, and no part of it has many more rows than another, as far as chance lets a sample see.
	DEVICE bool is_even(const Map* map, Crowd crowd) const {
		const u32 sample = rows < b->n ? rows : (u32)b->n, ties = m.sums->ties - m.sums->neighbours;
		const bool columns = f->form == FORM_KEYS || (f->validity == 0 && f->form != FORM_RANK),
		           few = b->valuesOnly && 32 - (u32)map->left < b->bits + 4; // values, which share a bucket or do not
		if (b->evenPage == 0 || cell_bits() < 8 || !columns || few || m.sums->sampled != sample || !m.sums->rises ||
		    !m.sums->falls || (is_exact(map) && !map->floating && stride) || m.sums->nearHits > 1)
			return false;
		const float deviation = 1.0f / sample, pairs = 0.5f * sample, neighbours = (float)m.sums->neighbours,
		            expected = pairs * sample / (float)(1ull << (32 - (u32)map->left)); // ties of random numbers
		// There are fewer floats of 4 bytes than codes.
		const float most = sizeof(Word) == 4 && map->floating ? 1e-3f * sample : 3 * expected + 0.9f;
		return ties <= most && neighbours <= EVEN_NEIGHBOURS * (pairs - neighbours) &&
		       crowd.parts < EVEN_PARTS + 68 * deviation && crowd.sixteenths < EVEN_SIXTEENTHS + 16 * deviation;
	}
	// The rows near a row, times their mean: those in the same of 256 parts of the prefixes, and of 16, and in the same
	// cell. Where rows lie unevenly many buckets may be too large, though none of the cells is.
	DEVICE Crowd crowding() const {
		const u32 parts = 256, cells = 1u << cell_bits(), each = cells / parts;
		u32 hits = 0, ofCells = 0;
		if (thread_index() < parts) {
			for (u32 k = 0; k < each; k++) {
				const u32 ofCell = m.cells[thread_index() * each + k];
				hits += ofCell, ofCells += ofCell * (ofCell - 1);
			}
		}
		u32 pairs = warp_add(hits * (hits - 1)), wide = hits;
		ofCells = warp_add(ofCells);
		UNROLL for (u32 by = 1; by < 16; by *= 2) wide += (u32)shuffle_xor(wide, by);
		wide = warp_add(lane_index() % 16 == 0 ? wide * (wide - 1) : 0);
		if (lane_index() == 0 && pairs)
			atomic_add(m.sums->pairs, pairs), atomic_add(m.sums->pairs + 1, ofCells),
			    atomic_add(m.sums->pairs + 2, wide);
		sync_block();
		const float all = (float)(m.sums->sampled - m.sums->neighbours), scale = 1 / (all * (all - 1) + 1);
		return {(float)m.sums->pairs[0] * parts * scale, (float)m.sums->pairs[1] * cells * scale,
		        (float)m.sums->pairs[2] * 16 * scale};
	}
	// Reports whether the host needs no statistics: the digits are all those of the type, the rows are in no order, and
	// null and NaN have numbers.
	DEVICE bool early(Word least, Word greatest) const {
		const u64 span = (u64)(greatest - least) >> stride;
		const u64 lower = (b->codeBits - 1) / RADIX_BITS * RADIX_BITS; // bits of all digits but the last
		bool classes = f->form == FORM_RANK || (f->validity != 0 && f->form != FORM_FLOAT);
		return !classes && m.sums->rises && m.sums->falls && span >> lower != 0;
	}

	// Drops heavy values that are too rare for split_heavy, and reports whether most rows are of the other classes and
	// heavy values.
	DEVICE bool splits_heavy(Map* map) const {
		u32 sample = rows < b->n ? rows : (u32)b->n, others = m.sums->sampled, left = 0;
		for (u32 k = 0; k < map->heavies; k++) {
			if (map->heavy[k].rows >= sample / SPLIT_SHARE) map->heavy[left++] = map->heavy[k];
			else others += map->heavy[k].rows;
		}
		for (u32 k = left; k < map->heavies; k++) map->heavy[k] = {};
		map->heavies = left;
		return few_others(b, others, sample);
	}

	// The rows that tie with a row, by a larger sample: for a few ties in this one, which may be chance. The table is
	// not needed any more.
	static NOINLINE float partners_of_column(const Buckets* b, const Map* map, u8* memory) {
		const Memory m(memory);
		const LargeSample<Word> sample(b, map);
		const u32 groupBits = sample.group_bits() <= MOST_TIE_BITS ? sample.group_bits() - 1 : MOST_TIE_BITS;
		const typename LargeSample<Word>::template Ties<Memory::slotBits> ties(m.keys, m.sums->tied, groupBits);
		sync_block();
		if (thread_index() < 3) m.sums->tied[thread_index()] = 0;
		sync_block();
		sample.template for_values<1>(groupBits, [&](bool is, Word x, u32) { ties.add(is, x); });
		return ties.partners(b->n, groupBits);
	}

	// The order of the sample, if the host asks for it.
	DEVICE u32 sample_order() const {
		if (!b->checksOrder || m.sums->mixed) return ORDER_NONE;
		return !m.sums->falls ? ORDER_RISING : !m.sums->rises ? ORDER_FALLING : ORDER_NONE;
	}

	// Makes the map and the decision of the sample, in shared memory.
	DEVICE void run(Map* map, Decision* decision) {
		Word least, greatest;
		read();
		let_later_kernels_start(); // the key scan, which prefetches its rows
		clear();
		sync_block();
		find_range(&least, &greatest);
		if (u32 order = sample_order()) { // the rest of the decision is not needed
			if (thread_index() == 0) *decision = {}, decision->order = order;
			return;
		}
		make(map, least, greatest);
		group(map);
		if (!map->rests) find_heavy(map); // rows of a heavy value are all equal
		const u32 all = values;
		add_up(map);
		if (!b->valuesOnly) find_near(map);
		u32 reason = reason_to_decline(map, least, greatest);
		const Crowd crowd = reason == REASON_NONE || reason == REASON_LARGE ? crowding() : Crowd();
		const bool unevenly = may_equalize(map, reason, crowd),
		           crowded = !unevenly && needs_more_buckets(map, reason, crowd);
		if (reason == REASON_NONE && !unevenly && !crowded && has_large_buckets(crowd)) reason = REASON_LARGE;
		if (may_fix_point(reason != REASON_NONE || unevenly || crowded) && fixed.find(f, number, all, m.warps)) {
			if (thread_index() == 0) *decision = {}, decision->order = ORDER_FIXED_POINT;
			return;
		}
		if (thread_index() != 0) return;
		Decision v = {};
		v.sampled = m.sums->sampled, v.ties = m.sums->ties, v.neighbours = m.sums->neighbours;
		v.reason = reason, v.order = unevenly ? ORDER_UNEVEN : crowded ? ORDER_CROWDED : ORDER_NONE;
		v.split = !v.order && can_split(b, v.reason) && (splits_heavy(map) || must_split(b));
		v.early = v.reason != REASON_NONE && !v.split && early(least, greatest);
		v.narrow = sizeof(Word) == 8 && map->narrow;
		if (!keys_fit(f)) v.reason = REASON_OUT_OF_RANGE, v.early = 1, v.order = ORDER_NONE;
		if (!v.reason && !v.order && is_even(map, crowd)) v.order = ORDER_EVEN, v.accepted = 1, v.records = (u32)b->n;
		*decision = v;
		Statistics& seen = ((Report*)b->report)->statistics;
		if (v.early) seen.any = m.sums->varying, seen.notAll = ~0ull;
	}
};
