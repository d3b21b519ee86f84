#include "bucketsort/value_sorter.h"

// The bucket sort of keys only writes values.
template <class Word, int threads, int items> DEVICE void sort_value_ranges(const Buckets& b) {
	typedef ValueSorter<Word, threads, items, BUCKET_SORT_BIN_BITS, false> Any;
	typedef ValueSorter<Word, threads, items, BUCKET_SORT_BIN_BITS, true> Full;
	BucketRanges<Any> ranges(b, shared_memory());
	let_later_kernels_start();
	for (; ranges.more(); ranges.next()) {
		bool fits = ranges.cut();
		const volatile BucketRange* s = ranges.range;
		if (s->rows == 0) continue;
		if (!fits) ranges.defer();
		else if (Full::is_full(s)) Full(b, shared_memory(), s).sort();
		else Any(b, shared_memory(), s).sort();
	}
}

KERNEL(bucket_sort_values, BUCKET_SORT_THREADS, 4)(PARAMETER Buckets b) {
	sort_value_ranges<u32, BUCKET_SORT_THREADS, BUCKET_SORT_ITEMS>(b);
}
KERNEL(bucket_sort_values_wide, BUCKET_SORT_WIDE_VALUE_THREADS, 2)(PARAMETER Buckets b) {
	sort_value_ranges<u64, BUCKET_SORT_WIDE_VALUE_THREADS, BUCKET_SORT_WIDE_VALUE_ITEMS>(b);
}

// The rows of classes, and the ranges that the bucket sort deferred, each by a block: numbers are whole, so that any
// buckets are sorted at once, but for those with pages.
template <class Word> DEVICE void sort_large_values(const Buckets& b) {
	typedef ValueSorter<Word, BUCKET_SORT_LARGE_THREADS, BUCKET_SORT_LARGE_ITEMS, BUCKET_SORT_LARGE_BIN_BITS, false>
	    Sorter;
	volatile BucketRange* range = (volatile BucketRange*)shared_memory();
	wait_for_earlier_kernels();
	const u32 count = ((const Decision*)b.decision)->listed, flags = RangeFlags::of_values(b);
	const u32* starts = (const u32*)b.starts;
	if (!(flags & RangeFlags::GO)) return;
	if (flags & RangeFlags::CLASSES_TOO) write_classes<Word>(b);
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		const Range buckets = ((const Range*)b.list)[o];
		for (u32 to, bucket = buckets.first; bucket < buckets.end; bucket = to) {
			to = b.page ? bucket + 1 : buckets.end;
			if (starts[bucket] == starts[to]) continue;
			if (thread_index() == 0)
				describe(b, range, flags, bucket, to, starts[bucket], starts[to], BUCKET_SORT_LARGE_BIN_BITS, 32);
			sync_block();
			Sorter sorter(b, shared_memory(), range);
			if (b.page) sorter.load_paged(PagedRecords(b, bucket, range->rows));
			else sorter.load_numbers();
			sorter.sort_numbers();
			sync_block();
			if (b.page && thread_index() == 0) ((u32*)b.counts)[bucket] = 0; // for the next sort
		}
	}
}
KERNEL(bucket_sort_large_values, BUCKET_SORT_LARGE_THREADS, 1)(PARAMETER Buckets b) { sort_large_values<u32>(b); }
KERNEL(bucket_sort_large_values_wide, BUCKET_SORT_LARGE_THREADS, 1)(PARAMETER Buckets b) { sort_large_values<u64>(b); }
