#include "statistics/code.h"

// encode encodes one code word of rows from its fields.
KERNEL(encode, STREAM_THREADS, 1)(const Field* fields, u64 count, u64 n, const u32* rows, u64* codes) {
	for_each(n, [&](u64 i) { codes[i] = code_word(fields, count, rows ? rows[i] : i); });
}
