// Pages: the places of records where buckets are not counted, since the sample has found the rows spread evenly. Each
// bucket has a page of equal size, in which its cursor begins; one with more rows is continued in an extension.
#pragma once
#include "sample/buckets.h"

static_assert(BUCKET_RANGE_ROWS + EXTENSION_RECORDS - EXTENSION_MARGIN <= BUCKET_SORT_LARGE_ROWS,
              "a block sorts a bucket with an extension");
static_assert(16 * EXTENSION_RECORDS >= PARTITION_TILE, "extensions have room for a tile of a sort that is declined");

// Declines the sort. Returns the place of extensions, where nothing is needed any more. Threads of a block that is
// running do not look for it, since all of them must do the same.
DEVICE u32 decline_pages(const Buckets& b) {
	((Decision*)b.decision)->reason = REASON_NO_PAGE;
	return (u32)b.page << b.bits;
}

// The place of records in the extension of a bucket: count records that would begin at a place of its page, and exceed
// it.
DEVICE u32 extend_page(const Buckets& b, u32 bucket, u32 place, u32 count) {
	const u32 page = (u32)b.page, in = place - bucket * page;
	if (count > EXTENSION_MARGIN || in + count > page + EXTENSION_RECORDS - EXTENSION_MARGIN) return decline_pages(b);
	u32 *number = (u32*)b.counts + bucket, extension = load_relaxed(number);
	if (extension == 0) {
		const u32 next = atomic_add(&((Decision*)b.decision)->extended, 1u) + 1;
		if (next > b.extensions) return decline_pages(b);
		extension = compare_and_swap(number, 0u, next);
		if (extension == 0) extension = next;
	}
	atomic_max((u32*)b.filled + extension - 1, ~in); // the first records that exceed the page are where it ends
	return (page << b.bits) + (extension - 1) * EXTENSION_RECORDS + EXTENSION_MARGIN + in - page;
}

// The pages of the bins of a tile: rows of a bin, 0 where all places are known; the number of the first bin; whether
// bins are buckets.
struct Pages {
	u32 rows, first;
	bool last;

	DEVICE static Pages of_column(const Buckets& b) { return {(u32)b.page << (u32)b.second, 0, b.second == 0}; }
	DEVICE static Pages of_second(const Buckets& b, u32 bin) {
		return {(u32)b.page, bin << (u32)b.second, true};
	}
	// Where count records go for which a place of a bin is reserved.
	DEVICE u32 place(const Buckets& b, u32 bin, u32 reserved, u32 count) const {
		bin += first;
		if (rows == 0 || reserved + count <= (bin + 1) * rows) return reserved;
		return last ? extend_page(b, bin, reserved, count) : decline_pages(b);
	}
};

// Opens all pages; by all blocks of the key scan.
DEVICE void open_pages(const Buckets* b) {
	const u32 first = block_index() * block_threads() + thread_index(), step = grid_blocks() * block_threads(),
	          page = (u32)b->evenPage, bins = 1u << b->firstBits;
	for (u32 k = first; k < 1u << b->bits; k += step) ((u32*)b->cursors)[k] = k * page;
	for (u32 k = first; k < b->extensions; k += step) ((u32*)b->filled)[k] = 0;
	for (u32 k = first; b->second && k <= bins; k += step) {
		((u32*)b->firstStarts)[k] = (k * page) << b->second;
		if (k < bins) ((u32*)b->firstCursors)[k] = (k * page) << b->second;
	}
}

// The records of a bucket: those in its page, and the others in its extension.
struct PagedRecords {
	u32 page, filled, rest;

	DEVICE PagedRecords(const Buckets& b, u32 bucket, u32 rows) : page(bucket * (u32)b.page), filled(rows), rest(0) {
		if (rows <= b.page) return;
		const u32 extension = ((const u32*)b.counts)[bucket] - 1;
		filled = ~((const u32*)b.filled)[extension];
		rest = ((u32)b.page << b.bits) + extension * EXTENSION_RECORDS + EXTENSION_MARGIN - (u32)b.page;
	}
	DEVICE u32 operator()(u32 i) const { return i < filled ? page + i : rest + i; }
};
