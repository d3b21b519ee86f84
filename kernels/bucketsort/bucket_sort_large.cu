#include "bucketsort/bucket_ranges.h"
#include "bucketsort/out_of_range.h"

static_assert(BUCKET_SORT_LARGE_ROWS * 2 >= BUCKET_RANGE_ROWS * 3,
              "the last range has up to one and a half times the rows of the others");

// The first bucket from one on that has rows, or the end; by all threads.
DEVICE u32 next_filled(const u32* starts, u32 bucket, u32 end, u32* shared) {
	u32 left = 0; // the distance to the end, so that the first bucket has the maximum
	if (thread_index() == 0) *shared = 0;
	sync_block();
	for (u32 k = bucket + thread_index(); k < end && left == 0; k += BUCKET_SORT_LARGE_THREADS)
		left = starts[k] == starts[k + 1] ? 0 : end - k;
	atomic_max(shared, left);
	sync_block();
	return end - *shared;
}

// bucket_sort_large sorts the ranges that the bucket sort deferred, each by a block: at once, or as many buckets at a
// time as records distinguish.
KERNEL(bucket_sort_large, BUCKET_SORT_LARGE_THREADS, 1)(PARAMETER Buckets b) {
	typedef BinSorter<BUCKET_SORT_LARGE_THREADS, BUCKET_SORT_LARGE_ITEMS, BUCKET_SORT_LARGE_BIN_BITS, true, false>
	    Sorter;
	const Decision* decision = (const Decision*)b.decision;
	volatile BucketRange* range = (volatile BucketRange*)shared_memory();
	u32* shared = (u32*)(shared_memory() + sizeof(BucketRange));
	wait_for_earlier_kernels();
	u32 count = decision->listed, flags = RangeFlags::of(b),
	    most = b.page ? 1 : flags & RangeFlags::IMPLIED ? 1u << b.second : 1u << b.bits;
	const u32* starts = (const u32*)b.starts;
	if (!(flags & RangeFlags::GO)) return;
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		Range buckets = ((const Range*)b.list)[o];
		for (u32 to, bucket = buckets.first; bucket < buckets.end; bucket = to) {
			if (buckets.end - bucket > most) bucket = next_filled(starts, bucket, buckets.end, shared);
			to = buckets.end - bucket > most ? bucket + most : buckets.end;
			if (starts[bucket] == starts[to]) continue;
			if (thread_index() == 0)
				describe(b, range, flags, bucket, to, starts[bucket], starts[to], BUCKET_SORT_LARGE_BIN_BITS,
				         32 - Sorter::indexBits);
			sync_block();
			Sorter sorter(b, shared_memory(), range);
			if (b.page) sorter.load_paged(PagedRecords(b, bucket, range->rows));
			else sorter.load_records();
			separate(sorter, range);
			sorter.sort_records();
			sync_block();
			if (b.page && thread_index() == 0) ((u32*)b.counts)[bucket] = 0; // for the next sort
		}
	}
}
