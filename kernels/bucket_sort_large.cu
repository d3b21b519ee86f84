#include "cutter.h"
#include "outside.h"

static_assert(FINISH_REST_ROWS * 2 >= FINISH_WINDOW * 3, "the last window has up to one and a half times the rows of the others");

// The first bucket from one on that has rows, or the end; by all threads.
DEVICE u32 next_filled(const u32* starts, u32 bucket, u32 end, u32* shared) {
	u32 left = 0; // up to the end, so that the first one has the maximum
	if (thread_index() == 0) *shared = 0;
	sync_block();
	for (u32 k = bucket + thread_index(); k < end && left == 0; k += FINISH_REST_THREADS) left = starts[k] == starts[k + 1] ? 0 : end - k;
	atomic_max(shared, left);
	sync_block();
	return end - *shared;
}

// finish_rest sorts what the finish left over, each range of buckets by a block: at once, or by so many buckets as records tell apart.
KERNEL(finish_rest, FINISH_REST_THREADS, 1)(PARAMETER Buckets b) {
	typedef Finish<FINISH_REST_THREADS, FINISH_REST_ITEMS, FINISH_REST_BIN_BITS, true, false> Sorter;
	const Verdict* verdict = (const Verdict*)b.verdict;
	volatile Span* span = (volatile Span*)shared_memory();
	u32* shared = (u32*)(shared_memory() + sizeof(Span));
	wait_for_earlier_kernels();
	u32 count = verdict->rest, flags = SpanFlags::of(b), most = flags & SpanFlags::IMPLIED ? 1u << b.second : 1u << b.bits;
	const u32* starts = (const u32*)b.starts;
	if (!(flags & SpanFlags::GO)) return;
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		Range buckets = ((const Range*)b.rest)[o];
		for (u32 to, bucket = buckets.first; bucket < buckets.end; bucket = to) {
			if (buckets.end - bucket > most) bucket = next_filled(starts, bucket, buckets.end, shared);
			to = buckets.end - bucket > most ? bucket + most : buckets.end;
			if (thread_index() == 0) describe(b, span, flags, bucket, to, starts[bucket], starts[to], FINISH_REST_BIN_BITS, 32 - Sorter::indexBits);
			sync_block();
			Sorter sorter(b, shared_memory(), span);
			sorter.load_records();
			tell_apart(sorter, span);
			sorter.sort_records();
			sync_block();
		}
	}
}
