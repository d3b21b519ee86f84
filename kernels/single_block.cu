#include "single_block.h"

// single_block sorts up to SINGLE_BLOCK_ROWS rows by one column or code word in a single launch of one block, without
// statistics.
KERNEL(single_block, SINGLE_BLOCK_THREADS, 1)(PARAMETER SmallSort job) {
	SingleBlock<SINGLE_BLOCK_ITEMS>((u32)job.n).sort(job);
}
// single_block_small does the same for up to SINGLE_BLOCK_SMALL_ROWS rows, with less memory and in less time.
KERNEL(single_block_small, SINGLE_BLOCK_THREADS, 1)(PARAMETER SmallSort job) {
	SingleBlock<SINGLE_BLOCK_SMALL_ITEMS>((u32)job.n).sort(job);
}
