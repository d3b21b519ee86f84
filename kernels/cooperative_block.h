// A block of a grid that sorts: its rows, its shared memory, and how all blocks meet. They are all there at a time, as cooperative launches
// see to, so that one may wait for another.
#pragma once
#include "few_rows.h"
#include "look_back.h"
#include "row_order.h"

const u32 GRID_WARPS = GRID_THREADS / 32, GRID_BINS = 1 << GRID_BIN_BITS;
const u32 STEP_RISES = 1, STEP_TIES = 2, STEP_FALLS = 4, STEP_CLASSES = 8; // Meeting.steps
static_assert(sizeof(Meeting) == MEETING_BYTES && GRID_BUCKETS == GRID_THREADS && GRID_WARPS == 32, "a bucket for each thread, a lane for each warp");

// The barrier of all blocks, in two halves: what a block has written before it arrives is there for those that have waited. The word's top bit
// changes when the last one comes; the others are zero again, so that nothing has to be cleared.
struct Gate {
	u32 *word, before;

	DEVICE explicit Gate(u32* word) : word(word), before(0) {}
	DEVICE void arrive() {
		sync_block();
		if (thread_index() != 0) return;
		stall(block_index());
		before = add_release(word, block_index() == 0 ? (1u << 31) - (grid_blocks() - 1) : 1u);
	}
	DEVICE void wait() const {
		if (thread_index() == 0) {
			while (((load_acquire(word) ^ before) >> 31) == 0) {}
		}
		sync_block();
	}
	DEVICE void meet() {
		arrive();
		wait();
	}
};

struct GridBlock {
	static const u32 most = GRID_THREADS * GRID_ITEMS, least = GRID_ROOM + GRID_BUCKETS / 2 + 4, staged = most > least ? most : least; // rows

	const Many& many;
	Meeting* meeting;
	Gate gate;
	u64* numbers;  // of rows that are staged
	u32* tags;     // the rows, with their buckets above while they are dealt
	u32* counters; // of buckets, in the sample and in this block, and where they are staged; of bins
	u32* starts;   // of buckets, behind the rows whose order is sought, and one more; not while rows are dealt
	u32 *sums, *classes;  // of warps; and their rows of classes
	u32* control;         // a few words
	u32 n, rank, used;    // used: items of a thread
	u32 local;            // the first row of this thread, in the block; the others come after each 32 rows

	DEVICE explicit GridBlock(const Many& many)
	    : many(many), meeting((Meeting*)many.meeting), gate(&meeting->gate), numbers((u64*)shared_memory()), tags((u32*)(numbers + staged)),
	      counters(tags + staged), starts((u32*)(numbers + GRID_ROOM)), sums(counters + GRID_BINS), classes(sums + GRID_WARPS), control(classes + GRID_WARPS),
	      n((u32)many.few.n), rank(block_index()), used((n + GRID_THREADS * grid_blocks() - 1) / (GRID_THREADS * grid_blocks())),
	      local(warp_index() * 32 * used + lane_index()) {}
	DEVICE u32 share() const { return used * GRID_THREADS; }
	DEVICE u32 first() const { return rank * share(); }
	// Rows of this block; the last ones have fewer, or none.
	DEVICE u32 rows() const {
		u32 left = first() < n ? n - first() : 0;
		return left < share() ? left : share();
	}
	// The most rows of a bucket: a block finds their order, while the others have their share.
	DEVICE u32 room() const { return 4 * share() < GRID_ROOM ? 4 * share() : GRID_ROOM; }

	// The exclusive sum over the threads of a block, and the sum of all.
	DEVICE u32 sum_threads(u32 x, u32* total) const {
		u32 ofWarp, before = warp_exclusive_sum(x, &ofWarp);
		sync_block();
		if (lane_index() == 0) sums[warp_index()] = ofWarp;
		sync_block();
		u32 ofWarps = warp_exclusive_sum(sums[lane_index()], total);
		return before + shuffle(ofWarps, warp_index());
	}

	// Tells the host whether the rows are sorted here.
	DEVICE void tell(Says says) const {
		if (rank == 0 && thread_index() == 0) store_relaxed((u64*)many.told, (u64)says);
	}
	// For the next sort, behind a barrier that all have reached only when they had read what is cleared.
	DEVICE void clear_meeting() const {
		if (rank != 0) return;
		meeting->counts[thread_index()] = 0;
		if (thread_index() == 0) meeting->steps = 0;
	}
	// The same when there is no such barrier any more.
	DEVICE void leave() {
		gate.arrive();
		if (rank == 0) gate.wait(), clear_meeting();
	}
};
