#include "order_repair.h"

// repair_order writes the rows that check_order has found misplaced, and the rows between them.
KERNEL(repair_order, STREAM_THREADS, 1)(PARAMETER Buckets b) {
	const Misplaced* misplaced = Misplaced::of(&b);
	u32 threads = grid_blocks() * STREAM_THREADS, first = block_index() * STREAM_THREADS + thread_index(),
	    *rows = (u32*)b.rows;
	for (u32 r = 0; r < misplaced->runs; r++) {
		Run run = misplaced->run[r];
		for (u32 i = first; i < run.rows; i += threads) rows[run.place + i] = run.row + i;
	}
}
