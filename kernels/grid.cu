#include "grid.h"

// grid sorts rows by one column or code word, in one launch of blocks that are all there at a time: no statistics are needed before.
KERNEL(grid, GRID_THREADS, 1)(PARAMETER Many many) {
	GridSorter<GRID_ITEMS>(many).sort();
}
// grid_large does the same for more rows, with more memory.
KERNEL(grid_large, GRID_THREADS, 1)(PARAMETER Many many) {
	GridSorter<GRID_LARGE_ITEMS>(many).sort();
}
