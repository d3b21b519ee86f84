// Chains of pages: where the records of a bin go when the size of the bin is not known in advance. A chain begins with
// one page; whoever fills a page hangs the next one from a counter of all pages into the chain.
#pragma once
#include "../../kernels/device.h"

// Places for some records of a bin: the first `split` of them from `first` on, the others from `second` on.
struct Places {
	u32 first, split, second;
};

// Bins whose sizes are known: each has a range of the output. The measure of what pages cost.
struct Ranges {
	u32* next; // free place of each bin

	DEVICE Places reserve(u32 bin, u32 count) const { return {atomic_add(next + bin, count), count, 0}; }
};

const u32 NO_PAGE = ~0u;

// The cursor of a chain: the page above `shift`, the number of pages before it in the chain, and in the low 32 bits the
// records in the page, or more while the thread that has filled it hangs in the next one.
template <int shift> struct Chains {
	u64* cursors;
	u32 *spare; // of each chain: a page that was opened ahead, or NO_PAGE
	u32 *opened; // number of all pages
	u32 *table; // pages of each chain, in order
	u32 stride, size, chains; // most pages of a chain; records of a page; chains of a bin, for different blocks

	static const u32 sequenceMask = (1u << (shift - 32)) - 1;

	// One thread of a block reserves for all records of a bin. The thread that passes the middle of a page opens the
	// next one, so that it is there when the page is full. The pages that one reservation crosses are contiguous, so
	// that two segments always suffice.
	DEVICE Places reserve(u32 bin, u32 count) const {
		u32 chain = bin * chains + block_index() % chains;
		u64* cursor = cursors + chain;
		for (;;) {
			u64 was = add(cursor, count);
			u32 used = (u32)was, page = (u32)(was >> shift), sequence = (u32)(was >> 32) & sequenceMask;
			if (used + count < size) {
				if (used < size / 2 && used + count >= size / 2) open_ahead(chain);
				return {page * size + used, count, 0};
			}
			if (used < size) { // this thread fills the page
				u32 rest = used + count - size, more = rest / size + 1, first = more == 1 ? take_ahead(chain) : NO_PAGE;
				if (first == NO_PAGE) first = atomic_add(opened, more);
				u32 last = first + more - 1;
				exchange(cursor, (u64)last << shift | (u64)(sequence + more) << 32 | rest % size);
				for (u32 i = 0; i < more; i++) table[(u64)chain * stride + sequence + 1 + i] = first + i;
				return {page * size + used, size - used, first * size};
			}
			while (load_relaxed(cursor) >> 32 == was >> 32) sleep(20); // another thread hangs in the next page
		}
	}

private:
	DEVICE static u64 add(u64* p, u64 x) { return atomicAdd((unsigned long long*)p, x); }
	DEVICE static void exchange(u64* p, u64 x) { atomicExch((unsigned long long*)p, x); }
	DEVICE void open_ahead(u32 chain) const {
		if (load_relaxed(spare + chain) == NO_PAGE) atomicExch(spare + chain, atomic_add(opened, 1u));
	}
	DEVICE u32 take_ahead(u32 chain) const { return atomicExch(spare + chain, NO_PAGE); }
};
