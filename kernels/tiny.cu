#include "tiny.h"

// tiny sorts up to TINY_ROWS rows by one column or code word, in one launch of one block: no statistics are needed before.
KERNEL(tiny, TINY_THREADS, 1)(const Field* f, u64 n, u64 classes, const u32* in, u32* out) {
	Tiny<TINY_ITEMS>((u32)n).sort(f, (Classes)classes, in, out);
}
// tiny_few does the same for up to TINY_FEW_ROWS rows, with less memory and in less time.
KERNEL(tiny_few, TINY_THREADS, 1)(const Field* f, u64 n, u64 classes, const u32* in, u32* out) {
	Tiny<TINY_FEW_ITEMS>((u32)n).sort(f, (Classes)classes, in, out);
}
