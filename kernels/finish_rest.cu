#include "cutter.h"

// finish_rest sorts what the finish left over, each range of buckets by a block.
KERNEL(finish_rest, FINISH_REST_THREADS, 1)(PARAMETER Buckets b) {
	typedef Finish<FINISH_REST_THREADS, FINISH_REST_ITEMS, FINISH_REST_BIN_BITS, true, false> Sorter;
	const Verdict* verdict = (const Verdict*)b.verdict;
	volatile Span* span = (volatile Span*)shared_memory();
	wait_for_earlier_kernels();
	u32 count = verdict->rest, flags = SpanFlags::of(b);
	if (!(flags & SpanFlags::GO)) return;
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		Range buckets = ((const Range*)b.rest)[o];
		const u32* starts = (const u32*)b.starts;
		if (thread_index() == 0) {
			describe(b, span, flags, buckets.first, buckets.end, starts[buckets.first], starts[buckets.end], FINISH_REST_BIN_BITS, 32 - Sorter::indexBits);
		}
		sync_block();
		Sorter(b, shared_memory(), span).sort();
		sync_block();
	}
}
