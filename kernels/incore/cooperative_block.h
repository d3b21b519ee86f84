// A block of a cooperative launch: its rows, its shared memory, and the grid barrier. All blocks run at the same time,
// so that they may wait for one another.
#pragma once
#include "incore/small_sort.h"
#include "common/look_back.h"
#include "common/row_order.h"

const u32 COOPERATIVE_WARPS = COOPERATIVE_THREADS / 32, COOPERATIVE_BINS = 1 << COOPERATIVE_BIN_BITS;
const u32 STEP_RISES = 1, STEP_TIES = 2, STEP_FALLS = 4, STEP_CLASSES = 8, STEP_BEYOND = 16; // CooperativeState.steps
static_assert(sizeof(CooperativeState) == COOPERATIVE_STATE_BYTES && COOPERATIVE_BUCKETS == COOPERATIVE_THREADS &&
                  COOPERATIVE_WARPS == 32,
              "a bucket for each thread, a lane for each warp");

// The barrier of all blocks, in two halves: what a block has written before it arrives is visible to those that have
// waited. The top bit of the word changes when the last block arrives; the other bits are zero again, so that nothing
// has to be zeroed.
struct GridBarrier {
	u32 *word, before;

	DEVICE explicit GridBarrier(u32* word) : word(word), before(0) {}
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
	DEVICE void sync() {
		arrive();
		wait();
	}
};

// Where an element of a sorted array in shared memory is: rows that search it read elements at distances of powers of
// two, which would share a bank.
DEVICE u32 spread_place(u32 i) { return i + i / 16; }

struct CooperativeBlock {
	static const u32 ROW_BITS = 22, ROW = (1u << ROW_BITS) - 1;
	static_assert(COOPERATIVE_ROWS <= 1u << ROW_BITS && COOPERATIVE_BUCKETS <= 1u << (32 - ROW_BITS),
	              "a row and a bucket in a tag");
	static const u32 most = COOPERATIVE_THREADS * COOPERATIVE_ITEMS,
	                 least = COOPERATIVE_CAPACITY + COOPERATIVE_BUCKETS / 2 + 4,
	                 staged = most > least ? most : least; // rows

	const CooperativeSort& job;
	CooperativeState* state;
	GridBarrier barrier;
	u64* numbers;  // of rows that are staged
	u32* tags;     // the rows, and above them their buckets while they are scattered
	u32* counters; // of buckets, in the sample and in this block, and where they are staged; of bins
	u32* starts;   // of buckets, and their end; after the rows that are ordered, not while rows are scattered
	u32 *sums, *classes;  // of warps; and their rows of classes
	u32* control;         // a few words
	u64* splitters;       // of buckets, where these are split
	u32 n, rank, used;    // used: items of a thread
	u32 local;            // the first row of this thread in the block; the others follow at intervals of 32 rows

	DEVICE explicit CooperativeBlock(const CooperativeSort& job)
	    : job(job), state((CooperativeState*)job.state), barrier(&state->barrier), numbers((u64*)shared_memory()),
	      tags((u32*)(numbers + staged)), counters(tags + staged), starts((u32*)(numbers + COOPERATIVE_CAPACITY)),
	      sums(counters + COOPERATIVE_BINS), classes(sums + COOPERATIVE_WARPS), control(classes + COOPERATIVE_WARPS),
	      splitters((u64*)(sums + 4 * COOPERATIVE_WARPS)),
	      n((u32)job.small.n), rank(block_index()),
	      used((n + COOPERATIVE_THREADS * grid_blocks() - 1) / (COOPERATIVE_THREADS * grid_blocks())),
	      local(warp_index() * 32 * used + lane_index()) {}
	DEVICE u32 share() const { return used * COOPERATIVE_THREADS; }
	DEVICE u32 first() const { return rank * share(); }
	// Rows of this block; the last blocks have fewer, or none.
	DEVICE u32 rows() const {
		u32 left = first() < n ? n - first() : 0;
		return left < share() ? left : share();
	}
	// The most rows of a bucket, which one block orders while other blocks have their share. Fewer than
	// COOPERATIVE_FULL buckets have more: all blocks have COOPERATIVE_BLOCKS shares at most, and COOPERATIVE_ROWS rows.
	DEVICE u32 capacity() const {
		const u32 shares = COOPERATIVE_BLOCKS / COOPERATIVE_FULL * share();
		return shares < COOPERATIVE_CAPACITY ? shares : COOPERATIVE_CAPACITY;
	}

	// The range of the numbers of all threads. It overwrites staged numbers.
	DEVICE Extent64 of_block(const Extent64& mine) const {
		Extent64 *ofWarps = (Extent64*)numbers, all = mine.of_warp();
		if (lane_index() == 0) ofWarps[warp_index()] = all;
		sync_block();
		all = ofWarps[lane_index()].of_warp();
		sync_block();
		return all;
	}

	// Reports to the host whether the rows are sorted here.
	DEVICE void report(u64 status) const {
		if (rank == 0 && thread_index() == 0) store_system((u64*)job.status, status);
	}
	// Zeroes the state for the next sort, after a barrier that every block reaches only after its last read of the
	// state.
	DEVICE void clear_state() const {
		if (rank != 0) return;
		state->counts[thread_index()] = 0;
		if (thread_index() == 0) state->steps = 0;
	}
	// The same if no such barrier follows.
	DEVICE void clear_state_after_last_read() {
		barrier.arrive();
		if (rank == 0) barrier.wait(), clear_state();
	}
};
