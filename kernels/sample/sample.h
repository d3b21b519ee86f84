// What a sample of a column suggests: a map that spreads the rows, heavy values, and whether partition and bucket sort
// suits.
#pragma once
#include "common/numbers.h"
#include "sample/buckets.h"
#include "sample/key_ranges.h"
#include "sample/large_sample.h"
#include "sample/mapper.h"
#include "sample/sample_range.h"

const float UNEVEN = 1.15f;  // the rows near a row, times their mean: with more, many buckets may be too large
const u32 FEW_TIES = 16;     // of the sample: a larger one, of 2^15 rows at most, counts them again
const u32 MOST_TIE_BITS = 15;
const u64 FEW_ROWS = 1 << 14; // in tests: too few for a larger sample
const u32 HEAVY_HITS = 4;    // rows of the sample that make a value heavy
const float MOST_REST_PARTNERS = 4; // of a row: numbers and rests of rows that tie are fetched
const u32 CANDIDATES = 32;   // the most candidates for heavy values
const u32 SPLIT_SHARE = 64;  // split_heavy takes values of at least this fraction of the rows
const u32 CELL_BITS = 12;    // most leading bits of prefixes by which rows are counted
const u32 DISTANCE_BITS = 16; // leading bits of row numbers that are enough for a distance

// Sums of the block.
struct SampleSums {
	u32 sampled, ties, neighbours, fullest; // fullest: rows of the fullest cell
	u32 tied[3]; // of a larger sample, see Ties
	u32 pairs[2]; // of rows in the same 256th of the prefixes, each twice; in the same cell
	u32 near, nearHits; // rows that share a bin with a near row: the sum of 2^octave, the number
	u32 distance; // the sum of the distances of ties from the first row with their prefix: their leading DISTANCE_BITS
	              // bits
	u32 rises, falls, mixed; // 1: neighbours that rise or tie; that fall; rows that are no values
	u32 candidates;
	u64 varying; // bits that are not the same in all rows
};

// How unevenly rows lie: see crowding.
struct Crowd {
	float parts, cells;
};

// Shared memory of a sample of the given rows: a hash table of prefixes, by open addressing, and counters.
template <u32 rows> struct SampleMemory {
	static const u32 slotBits = rows == SMALL_SAMPLE_ROWS ? 13 : 14, slots = 1 << slotBits,
	                 bytes = slots * 8 + (4 << CELL_BITS) + 2048;
	static_assert(KEY_SCAN_HEADER + bytes <= SAMPLE_BYTES, "the shared memory of sample");
	static_assert(slots >= 2 * rows,
	              "half of the table stays empty, or more where there is room: a slot is found sooner");

	u32 *keys, *hits; // hits: 16 bits, and a hash of the number of the first row with the prefix, or the hits of a
	                  // second number
	u32* cells;
	u64* warps; // 128 words
	u64* numbers; // of candidates, and their hits
	u32* found;
	SampleSums* sums;

	DEVICE explicit SampleMemory(u8* memory)
	    : keys((u32*)memory), hits(keys + slots), cells(hits + slots), warps((u64*)(cells + (1 << CELL_BITS))),
	      numbers(warps + 128), found((u32*)(numbers + CANDIDATES)), sums((SampleSums*)(found + CANDIDATES)) {}
};

// A Sampler is the work of one thread of a block on its rows of the sample. Rows 2 k and 2 k + 1 of a thread are
// adjacent in the column.
template <class Word, u32 rows> struct Sampler {
	static const int items = rows / SAMPLE_THREADS;
	static_assert(items * SAMPLE_THREADS == rows && items % 2 == 0, "neighbours in one thread");
	static const u32 EMPTY = ~0u;
	typedef SampleMemory<rows> Memory;

	const Buckets* b;
	const Field* f;
	Memory m;
	Word number[items];
	u32 key[items], slot[items];
	u32 values = 0, firsts = 0,
	    seconds = 0; // bit i: row i is a value; is the first with its prefix; stands for another number with it
	u32 stride = 0;             // lower bits of a number, in all of which the values agree

	DEVICE Sampler(const Buckets* b, u8* memory) : b(b), f(&b->field), m(memory) {}

	// The pairs are spread evenly, but not at equal distances, which could match a period of the column.
	DEVICE u64 place(int i, u64 n) const {
		u32 pair = i / 2 * SAMPLE_THREADS + thread_index();
		if (n < rows) return 2 * pair + i % 2;
		u64 first = pair * n / (rows / 2);
		u32 room = (u32)(n / (rows / 2)) - 1;
		return first + multiply_high(hash_number(pair), room) + i % 2;
	}
	DEVICE void read() {
		u64 n = b->n;
		if (sizeof(Word) == 8 && f->form == FORM_KEYS) {
			u64* mine = (u64*)m.keys + thread_index() * items; // registers are few
			ROLLED for (int i = 0; i < items; i++) {
				u64 row = place(i, n);
				mine[i] = row < n ? number_of_keys(f, row) : 0;
				values |= (u32)(row < n) << i;
			}
			UNROLL for (int i = 0; i < items; i++) number[i] = (Word)mine[i];
			sync_block();
			return;
		}
		Numbers<Word> numbers(f);
		UNROLL for (int i = 0; i < items; i++) {
			u64 row = place(i, n);
			number[i] = row < n ? ::load((const Word*)f->values + row) : 0;
			if (row < n && (f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row))) values |= 1u << i;
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (!numbers.make(number[i])) values &= ~(1u << i);
		}
	}
	// Loads the number of a row; returns whether it is a value.
	DEVICE bool value_at(u64 row, Word* number) const {
		if (sizeof(Word) == 8 && f->form == FORM_KEYS) return *number = (Word)number_of_keys(f, row), true;
		*number = ::load((const Word*)f->values + row);
		bool valid = f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row);
		return Numbers<Word>(f).make(*number) && valid;
	}
	DEVICE void clear() {
		for (u32 i = thread_index(); i < Memory::slots / 4; i += SAMPLE_THREADS) {
			((Words4*)m.keys)[i] = {EMPTY, EMPTY, EMPTY, EMPTY};
			((Words4*)m.hits)[i] = {0, 0, 0, 0};
		}
		for (u32 i = thread_index(); i < (1 << CELL_BITS); i += SAMPLE_THREADS) m.cells[i] = 0;
		if (thread_index() == 0) *m.sums = {};
	}

	// Finds the least and the greatest value, least > greatest if there is none, and the stride.
	DEVICE void find_range(Word* least, Word* greatest) {
		Word notLeast = 0, top = 0, any = 0, notAll = 0;
		bool rises = false, falls = false;
		UNROLL for (int i = 0; i < items; i += 2) {
			u32 above = (lane_index() + 1) % 32, both = values >> i & 3;
			Word third = shuffle(number[i], above);
			bool isValue = (shuffle(values, above) >> i & 1) && lane_index() < 31;
			if (both == 3) rises |= number[i + 1] >= number[i], falls |= number[i + 1] < number[i];
			if (both & 2 && isValue) rises |= third >= number[i + 1], falls |= third < number[i + 1];
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (!(values >> i & 1)) continue;
			Word complement = (Word)~number[i];
			notLeast = complement > notLeast ? complement : notLeast;
			top = number[i] > top ? number[i] : top;
			any |= number[i], notAll |= complement;
		}
		notLeast = warp_max(notLeast), top = warp_max(top), any = warp_or(any), notAll = warp_or(notAll);
		u32 steps =
		    (u32)(vote(rises) != 0) | (u32)(vote(falls) != 0) << 1 | (u32)(vote(values != (1u << items) - 1) != 0) << 2;
		if (lane_index() == 0) {
			m.warps[warp_index()] = notLeast, m.warps[32 + warp_index()] = top, m.warps[64 + warp_index()] = any,
			m.warps[96 + warp_index()] = notAll;
			if (steps & 1) m.sums->rises = 1;
			if (steps & 2) m.sums->falls = 1;
			if (steps & 4) m.sums->mixed = 1;
		}
		sync_block();
		*least = (Word)~warp_max((Word)m.warps[lane_index()]), *greatest = warp_max((Word)m.warps[32 + lane_index()]);
		u64 varying = warp_or((Word)m.warps[64 + lane_index()]) & warp_or((Word)m.warps[96 + lane_index()]);
		if (thread_index() == 0) m.sums->varying = varying;
		if (varying && f->form != FORM_FLOAT) stride = bit_length(varying & (0 - varying)) - 1;
	}

	// Makes a map of the range of the numbers, widened at both ends, for numbers that are multiples of the stride
	// apart.
	DEVICE void make(Map* map, Word least, Word greatest) {
		u64 most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
		if (least > greatest) least = greatest = 0;
		u64 below = (1ull << stride) - 1, more = range_margin(b, m.warps, stride, &least, &greatest);
		u64 low = least > more ? least - more : least & below, last = most - greatest > more ? greatest + more : most;
		if (thread_index() == 0) {
			make_map(map, low, last, most, stride, (u32)b->rowBits);
			map->heavies = 0, map->rests = has_rests(f);
			if (b->valuesOnly) map->rowScale = 0; // equal numbers have one prefix
		}
		if (thread_index() < CLASSES) map->heavy[thread_index()] = {};
		sync_block();
		if (f->form == FORM_FLOAT) map_values(map, least, greatest);
	}
	// Maps floats by their values if that spreads them better.
	DEVICE void map_values(Map* map, Word least, Word greatest) {
		const u32 bins = 32, shift = 27;
		const double share = 1.0 / (1 << margin_bits(b));
		u32 *byBits = m.cells, *byValue = byBits + bins;
		Map* other = (Map*)(byValue + bins); // no heavy values: all is zero
		u32* usable = (u32*)(other + 1);
		if (thread_index() == 0)
			*usable = make_value_map(other, least, greatest, share, Numbers<Word>(f).flip, (Word)f->sign, (u32)b->bits,
			                         (u32)b->rowBits);
		sync_block();
		if (*usable) {
			Mapper mapper(map), otherMapper(other);
			UNROLL for (int i = 0; i < items; i++) {
				if (!(values >> i & 1)) continue;
				atomic_add(byBits + (mapper.prefix(number[i], 0) >> shift), 1u);
				atomic_add(byValue + (otherMapper.prefix(number[i], 0) >> shift), 1u);
			}
			sync_block();
			if (warp_index() == 0) {
				u32 mostByBits = warp_max(byBits[lane_index()]), mostByValue = warp_max(byValue[lane_index()]);
				if (mostByValue < mostByBits && lane_index() == 0) *map = *other;
			}
		}
		sync_block();
		for (u32 i = thread_index(); i < 2 * bins + sizeof(Map) / 4 + 1; i += SAMPLE_THREADS) m.cells[i] = 0;
		sync_block();
	}

	// Rows with the same prefix find the same slot of the table. All rows of a thread probe at once.
	DEVICE void group(const Map* map) {
		Mapper mapper(map);
		u32 open = values;
		UNROLL for (int i = 0; i < items; i++) {
			key[i] = mapper.prefix(number[i], 0);
			if (key[i] == EMPTY) key[i]--;
			slot[i] = (key[i] ^ key[i] >> 15) * 2654435761u >> (32 - Memory::slotBits);
		}
		ROLLED while (open) {
			u32 there[items];
			UNROLL for (int i = 0; i < items; i++) there[i] = *(const volatile u32*)(m.keys + slot[i]);
			UNROLL for (int i = 0; i < items; i++) {
				if (open >> i & 1 && there[i] == EMPTY) there[i] = compare_and_swap(m.keys + slot[i], EMPTY, key[i]);
			}
			UNROLL for (int i = 0; i < items; i++) {
				u32 mine = open >> i & 1;
				firsts |= (u32)(there[i] == EMPTY && mine) << i;
				if (there[i] == EMPTY || there[i] == key[i]) open &= ~(1u << i);
				else if (mine) slot[i] = (slot[i] + (key[i] >> 3 | 1)) % Memory::slots;
			}
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (values >> i & 1)
				atomic_add(m.hits + slot[i], firsts >> i & 1 ? 1 | hash_number(number[i]) >> 16 << 16 : 1);
		}
		sync_block();
		if (sizeof(Word) == 8 || mapper.floating)
			count_second_numbers(); // otherwise the same prefix is the same number
	}
	// Of rows with the same prefix only those with the number of the first count as its hits. One random row of the
	// others represents a second number, so that a value in many rows is found although the first row has another.
	DEVICE void count_second_numbers() {
		u32 others = 0;
		UNROLL for (int i = 0; i < items; i++)
			others |= (u32)(values >> i & 1 && hash(i) != m.hits[slot[i]] >> 16) << i;
		if (!sync_block_or(others != 0)) return;
		UNROLL for (int i = 0; i < items; i++) {
			if (others >> i & 1) atomic_add(m.hits + slot[i], ~0u);
			if (firsts >> i & 1)
				atomic_add(m.hits + slot[i], 0u - (hash(i) << 16)), m.keys[slot[i]] = 0; // neither is needed any more
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (others >> i & 1) atomic_max(m.keys + slot[i], lot(i) << 16 | hash(i));
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			u32 drawn = m.keys[slot[i]];
			if (!(others >> i & 1) || (drawn & 0xffff) != hash(i)) continue;
			atomic_add(m.hits + slot[i], 1u << 16);
			seconds |= (u32)(drawn >> 16 == lot(i)) << i;
		}
		sync_block();
	}
	DEVICE u32 hash(int i) const { return hash_number(number[i]) >> 16; }
	DEVICE u32 lot(int i) const {
		return (i * SAMPLE_THREADS + thread_index()) * 40503 & 0xffff;
	} // different for all rows
	DEVICE u32 cell_bits() const { return b->bits < CELL_BITS ? (u32)b->bits : CELL_BITS; }
	// Of a first or a second row with its prefix.
	DEVICE u32 hits_of(int i) const { return m.hits[slot[i]] >> (seconds >> i & 1) * 16 & 0xffff; }

	// Finds the values with many hits, in ascending order, at most HEAVY_VALUES of those with the most hits.
	DEVICE void find_heavy(Map* map) {
		u32 candidate = 0;
		UNROLL for (int i = 0; i < items; i++)
			candidate |= (u32)((firsts | seconds) >> i & 1 && hits_of(i) >= HEAVY_HITS) << i;
		for (u32 least = 2 * HEAVY_HITS; sync_block_or(candidate != 0); least *= 2) {
			UNROLL for (int i = 0; i < items; i++) {
				if (!(candidate >> i & 1)) continue;
				u32 at = atomic_add(&m.sums->candidates, 1u);
				if (at < CANDIDATES) m.numbers[at] = number[i], m.found[at] = hits_of(i);
			}
			sync_block();
			u32 count = m.sums->candidates;
			if (count <= CANDIDATES) {
				if (warp_index() == 0) keep(map, count);
				sync_block();
				return;
			}
			sync_block();
			if (thread_index() == 0) m.sums->candidates = 0;
			UNROLL for (int i = 0; i < items; i++) {
				if (candidate >> i & 1 && hits_of(i) < least) candidate &= ~(1u << i);
			}
		}
	}
	// By one warp: keeps a candidate if few others have more hits, at the place of its number.
	DEVICE void keep(Map* map, u32 count) {
		u32 better = 0, lane = lane_index(), mine = lane < count ? m.found[lane] : 0;
		u64 candidate = lane < count ? m.numbers[lane] : 0;
		for (u32 k = 0; k < count; k++) better += m.found[k] > mine || (m.found[k] == mine && m.numbers[k] < candidate);
		bool kept = lane < count && better < HEAVY_VALUES;
		u32 all = vote(kept), place = 0;
		for (u32 k = 0; k < count; k++) place += (all >> k & 1) && m.numbers[k] < candidate;
		if (kept)
			map->heavy[place].number = candidate, map->heavy[place].rows = mine; // of the sample; the plan replaces it
		if (lane == 0) map->heavies = count_ones(all);
	}

	DEVICE u32 distance_shift() const { return b->rowBits > DISTANCE_BITS ? (u32)b->rowBits - DISTANCE_BITS : 0; }
	// Sums the distances of rows that tie from the first row with their prefix. The prefixes are not needed any more.
	DEVICE u32 add_up_distances(u32 ties) {
		u32 sum = 0, down = distance_shift();
		if (!sync_block_or(ties != 0)) return 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (firsts >> i & 1) m.keys[slot[i]] = (u32)place(i, b->n);
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (!(ties >> i & 1)) continue;
			u32 row = (u32)place(i, b->n), first = m.keys[slot[i]];
			sum += (row > first ? row - first : first - row) >> down;
		}
		return sum;
	}

	// Sums the rows that tie in their prefixes, and with their neighbours, and finds the fullest cell; without heavy
	// values.
	DEVICE void add_up(const Map* map) {
		u32 light = values, heavies = (u32)map->heavies, ties = 0, neighbours = 0, fullest = 0;
		for (u32 k = 0; k < heavies; k++) {
			UNROLL for (int i = 0; i < items; i++) light &= ~((u32)(number[i] == (Word)map->heavy[k].number) << i);
		}
		values = light; // from here on
		ties = count_ones(light & ~firsts);
		u32 distance = add_up_distances(light & ~firsts);
		UNROLL for (int i = 0; i < items; i++) {
			bool withNeighbour = i % 2 && (light >> (i - 1) & 3) == 3 &&
			                     key[i] == key[i - 1]; // such rows do not count for the fullest cell
			neighbours += withNeighbour;
			if (!(light >> i & 1) || withNeighbour) continue;
			u32 before = atomic_add(m.cells + (key[i] >> (32 - cell_bits())), 1u);
			fullest = before >= fullest ? before + 1 : fullest;
		}
		u32 sampled = warp_add(count_ones(light));
		ties = warp_add(ties), neighbours = warp_add(neighbours), fullest = warp_max(fullest),
		distance = warp_add(distance);
		if (lane_index() == 0) {
			atomic_add(&m.sums->sampled, sampled);
			if (ties) atomic_add(&m.sums->ties, ties), atomic_add(&m.sums->distance, distance);
			if (neighbours) atomic_add(&m.sums->neighbours, neighbours);
			atomic_max(&m.sums->fullest, fullest);
		}
		sync_block();
	}

	// The row that is compared with the first of a pair, at a distance of 2^octave to 2^(octave + 1) - 1. All octaves
	// up to the distance between pairs are equally frequent, so that few rows find equal ones at any distance.
	DEVICE u64 near_place(int i, u64 n, u32* octave) const {
		u32 lot = hash_number(i / 2 * SAMPLE_THREADS + thread_index() + rows);
		*octave = lot % octaves(n);
		return place(i, n) + (1u << *octave | (lot >> 8 & ((1u << *octave) - 1)));
	}
	DEVICE static u32 octaves(u64 n) { return bit_length(n / (rows / 2)) - 1; }

	// Counts rows that share a bin of the bucket sort with a near row. Where codes have bits of the row number, these
	// spread equal rows over bins; but they are the same for rows that are close together.
	DEVICE void find_near(const Map* map) {
		const u64 n = b->n;
		if (m.sums->ties == 0 || octaves(n) == 0) return;
		Mapper mapper(map);
		Word number[items / 2];
		u32 octave[items / 2], near = 0, hits = 0, below = below_bins(map), valid = 0;
		UNROLL for (int i = 0; i < items; i += 2) {
			u64 row = near_place(i, n, octave + i / 2);
			valid |= (u32)(row < n && value_at(row, number + i / 2)) << i;
		}
		UNROLL for (int i = 0; i < items; i += 2) {
			if (!((valid & values) >> i & 1)) continue; // both are values, and not heavy
			u32 again, mine = mapper.prefix(this->number[i], (u32)place(i, n));
			u32 other = mapper.prefix(number[i / 2], (u32)near_place(i, n, &again));
			if ((mine ^ other) >> below == 0) near += 1u << octave[i / 2], hits++;
		}
		near = warp_add(near), hits = warp_add(hits);
		if (hits && lane_index() == 0) atomic_add(&m.sums->near, near), atomic_add(&m.sums->nearHits, hits);
		sync_block();
	}
	// The bits of a prefix after those of a bin of the bucket sort: none where records hold more of a number than its
	// prefix.
	DEVICE u32 below_bins(const Map* map) const {
		u32 bin = (u32)b->bits + BUCKET_SORT_BIN_BITS;
		return is_exact(map) && bin < 32 ? 32 - bin : 0;
	}
	DEVICE static bool is_exact(const Map* map) { return sizeof(Word) == 4 || map->narrow; }
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
		if (s.sampled * 64 < sample && can_split(b))
			return REASON_EQUAL; // too few records to decide by, and digits sort any
		if (s.sampled * 64 < sample)
			return s.fullest > 1 && s.fullest * rowsOfHit > BUCKET_SORT_LARGE_ROWS
			           ? REASON_LARGE
					   : REASON_NONE; // few records are soon sorted
		bool floating = map->floating != 0;
		if (map->rests && map->narrow) return REASON_EQUAL; // a prefix does not stand for one key
		if (!floating && b->minimumBits < 64 && (u64)(greatest - least) >> stride >> b->minimumBits == 0)
			return REASON_FEW_BITS;
		if (b->valuesOnly) return has_oversized_bucket(map, (float)s.fullest, sample) ? REASON_LARGE : REASON_NONE;
		float pairs = 0.5f * s.sampled,
		      tiedNeighbours = s.neighbours / (pairs - s.neighbours + 0.5f); // of a row: neighbours that tie with it
		float codes = (float)(1ull << map->left) / (float)(1u << below_bins(map));
		float bins = (sizeof(Word) == 4 && floating ? 8.0f : codes) * spread(); // of equal rows
		float most = 8.0f * (bins > 1 ? bins : 1) + 4 * tiedNeighbours; // tiedNeighbours may be met twice
		if (map->rests) most = MOST_REST_PARTNERS;
		float partners = 2.0f * (s.ties - s.neighbours) * b->n / ((float)s.sampled * sample);
		if (few_ties() && partners <= most && most < 2 * MOST_PARTNERS)
			partners = partners_of_column(b, map, (u8*)m.keys);
		float near = s.nearHits > 1 ? 4.0f * octaves(b->n) * s.near / rows : 0; // of a row; a single hit is chance
		if (partners > most || (sizeof(Word) == 4 && s.neighbours > 0.35f * s.sampled)) return REASON_EQUAL;
		if (is_exact(map) && near > 8 + 4 * tiedNeighbours) return REASON_EQUAL;
		if (near > 2 * tiedNeighbours) tiedNeighbours = near;
		return has_large_groups(tiedNeighbours + 1, (float)s.sampled / sample) ||
		               has_oversized_bucket(map, (float)s.fullest, sample)
		           ? REASON_LARGE
				   : REASON_NONE;
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
	// The rows near a row, times their mean: those in the same of 256 parts of the prefixes, and in the same cell.
	// Where rows lie unevenly many buckets may be too large, though none of the cells is.
	DEVICE Crowd crowding() const {
		const u32 parts = 256, cells = 1u << cell_bits(), each = cells / parts;
		u32 hits = 0, ofCells = 0;
		if (thread_index() < parts) {
			for (u32 k = 0; k < each; k++) {
				const u32 ofCell = m.cells[thread_index() * each + k];
				hits += ofCell, ofCells += ofCell * (ofCell - 1);
			}
		}
		u32 pairs = warp_add(hits * (hits - 1));
		ofCells = warp_add(ofCells);
		if (lane_index() == 0 && pairs) atomic_add(m.sums->pairs, pairs), atomic_add(m.sums->pairs + 1, ofCells);
		sync_block();
		const float all = (float)(m.sums->sampled - m.sums->neighbours), scale = 1 / (all * (all - 1) + 1);
		return {(float)m.sums->pairs[0] * parts * scale, (float)m.sums->pairs[1] * cells * scale};
	}
	// Reports whether the host needs no statistics: the digits are all those of the type, the rows are in no order, and
	// null and NaN have numbers.
	DEVICE bool early(Word least, Word greatest) const {
		u64 span = (u64)(greatest - least) >> stride,
		    lower = (b->codeBits - 1) / RADIX_BITS * RADIX_BITS; // bits of all digits but the last
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
		add_up(map);
		if (!b->valuesOnly) find_near(map);
		const u32 reason = reason_to_decline(map, least, greatest);
		const Crowd crowd = reason == REASON_NONE || reason == REASON_LARGE ? crowding() : Crowd();
		const bool unevenly = may_equalize(map, reason, crowd),
		           crowded = !unevenly && needs_more_buckets(map, reason, crowd);
		if (thread_index() != 0) return;
		Decision v = {};
		v.sampled = m.sums->sampled, v.ties = m.sums->ties, v.neighbours = m.sums->neighbours;
		v.reason = reason, v.order = unevenly ? ORDER_UNEVEN : crowded ? ORDER_CROWDED : ORDER_NONE;
		v.split = !v.order && can_split(b, v.reason) && (splits_heavy(map) || must_split(b));
		v.early = v.reason != REASON_NONE && !v.split && early(least, greatest);
		v.narrow = sizeof(Word) == 8 && map->narrow;
		if (!keys_fit(f)) v.reason = REASON_OUT_OF_RANGE, v.early = 1, v.order = ORDER_NONE;
		*decision = v;
		Statistics& seen = ((Report*)b->report)->statistics;
		if (v.early) seen.any = m.sums->varying, seen.notAll = ~0ull;
	}
};
