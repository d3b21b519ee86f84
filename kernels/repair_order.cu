#include "strays.h"

// place_strays writes the rows that are not in their places behind watch_order.
KERNEL(place_strays, STREAM_THREADS, 1)(PARAMETER Buckets b) {
	const Strays* strays = Strays::of(&b);
	u32 threads = grid_blocks() * STREAM_THREADS, first = block_index() * STREAM_THREADS + thread_index(), *rows = (u32*)b.rows;
	for (u32 r = 0; r < strays->runs; r++) {
		Run run = strays->run[r];
		for (u32 i = first; i < run.rows; i += threads) rows[run.place + i] = run.row + i;
	}
}
