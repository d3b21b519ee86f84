#include "onesweep/histogram.h"

KERNEL(histogram, HISTOGRAM_THREADS, 2)
(const Field* field, u64 n, u64 shifts, u64 bits, u64 count, u32* words, u32* clear, u64 clearWords) {
	const int half = HALF_DIGITS, items = 8, copies = DIGIT_COPIES;
	const Counts counts(words);
	const u32 digits = (u32)count;
	u32 top = digits - 1, codeBits = (u32)(shifts >> 8 * top & 255) + (u32)(bits >> 8 * top & 255);
	clear_words((u32*)shared_memory(), HISTOGRAM_BYTES / 4, thread_index(), block_threads());
	clear_words(clear, clearWords, (u64)block_index() * block_threads() + thread_index(),
	            (u64)grid_blocks() * block_threads());
	sync_block();
	if (digits > half) count_digits<u64, items, MAX_DIGITS, copies>(field, n, shifts, bits, digits, counts);
	else if (field->width == 4 && codeBits <= 32)
		count_digits<u32, 2 * items, half, 2 * copies>(field, n, shifts, bits, digits, counts);
	else count_digits<u64, items, half, 2 * copies>(field, n, shifts, bits, digits, counts);
	if (is_last_block(counts.done, (u32*)(shared_memory() + HISTOGRAM_BYTES))) sum_counts(counts, digits, n);
}
