// The bucket sort of keys only: staged words are whole numbers without a row, which are compared as they are. Rows with
// equal numbers need no order.
#pragma once
#include "bucketsort/bucket_ranges.h"
#include "bucketsort/overflow.h"
#include "sample/mapper.h"

template <class Word, int threads, int items, int binBits, bool full>
struct ValueSorter : BinSorter<threads, items, binBits, false, full, Word> {
	typedef BinSorter<threads, items, binBits, false, full, Word> Sorter;
	using Sorter::b, Sorter::counters, Sorter::place, Sorter::range, Sorter::stage, Sorter::word;
	static const bool valuesOnly = true;

	using Sorter::Sorter;

	// Reports whether two words are equal.
	DEVICE static bool ties(Word a, Word b) { return a == b; }

	DEVICE void load_numbers() {
		const Word* in = (const Word*)b.records[b.second ? 1 : 0] + range->in - range->first % 32 + thread_index();
		load_numbers([=](int i) { return in + i * threads; });
	}
	// at: where the number of an item is.
	template <class At> DEVICE void load_numbers(const At& at) {
		const u32 offset = range->first % 32, rows = range->rows;
		UNROLL for (int i = 0; i < items; i++) word[i] = Sorter::inside(i, offset, rows) ? load_past(at(i)) : 0;
		Sorter::begin();
	}
	// The same for a bucket with a page.
	DEVICE void load_paged(const PagedRecords& records) {
		const Word* in = (const Word*)b.records[b.second ? 1 : 0];
		const u32 first = thread_index() - range->first % 32;
		load_numbers([&](int i) { return in + records(first + i * threads); });
	}
	template <bool simple> DEVICE void count(const Mapper& map) {
		const u32 offset = range->first % 32, rows = range->rows, low = range->low, binShift = range->binShift;
		UNROLL for (int i = 0; i < items; i++) {
			u32 prefix = simple ? map.simple_prefix(word[i]) : map.prefix_by_bits(word[i], 0),
			    bin = (prefix - low) >> binShift;
			if (!Sorter::inside(i, offset, rows)) bin = Sorter::bins + lane_index();
			place[i] = bin * 4 + (atomic_add(counters + bin, 1u) << 18);
		}
		sync_block();
	}
	DEVICE void count() {
		const Mapper map((const Map*)b.numberMap);
		if (map.simple()) count<true>(map);
		else count<false>(map);
	}
	DEVICE void write() const {
		const Word flip = Numbers<Word>(&b.field).flip;
		Sorter::write_result([=](Word number) { return number ^ flip; });
	}
	DEVICE void sort() {
		load_numbers();
		sort_numbers();
	}
	DEVICE void sort_numbers() {
		count();
		Sorter::scan();
		Sorter::stage_rows();
		const u32 overflow = Sorter::order_bins();
		if (Sorter::control[CONTROL_OVERFLOW]) Overflow<ValueSorter, false>::order(&b, range, overflow);
		write();
	}
};
