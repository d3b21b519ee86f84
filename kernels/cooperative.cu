#include "grid.h"

// grid sorts rows by one column or code word, in one launch of blocks that are all there at a time: no statistics are needed before.
KERNEL(grid, GRID_THREADS, 1)(PARAMETER Many many) { GridSorter(many).sort(); }
