#include "tiny.h"

// tiny sorts up to TINY_ROWS rows by one column or code word, in one launch of one block: no statistics are needed before.
KERNEL(tiny, TINY_THREADS, 1)(PARAMETER Few few) {
	Tiny<TINY_ITEMS>((u32)few.n).sort(few);
}
// tiny_few does the same for up to TINY_FEW_ROWS rows, with less memory and in less time.
KERNEL(tiny_few, TINY_THREADS, 1)(PARAMETER Few few) {
	Tiny<TINY_FEW_ITEMS>((u32)few.n).sort(few);
}
