// A sample sort of the rows of a block of a cooperative launch, for ranges whose bins hold many rows. Rows are compared
// by their numbers and then by row, so that no two are equal, and bins between sampled rows are small for any keys.
#pragma once
#include "incore/cooperative_block.h"

struct CooperativeSampleSort : CooperativeBlock {
	struct Row {
		u64 number;
		u32 tag; // the row, and its bin above it once that is known
		DEVICE bool before(const Row& other) const {
			return number != other.number ? number < other.number : tag < other.tag;
		}
	};
	static const u32 bins = COOPERATIVE_THREADS, items = COOPERATIVE_CAPACITY / COOPERATIVE_THREADS;
	static_assert(items * COOPERATIVE_THREADS == COOPERATIVE_CAPACITY && bins <= 1u << (32 - ROW_BITS),
	              "items for all rows, and a row and a bin in a tag");
	static const u32 sampled = bins + bins / 16; // places, see spread_place
	static_assert(2 * bins + 3 * sampled <= COOPERATIVE_BINS, "a counter, a number and a row of each bin");
	u64* sampledNumbers;
	u32* sampledRows;

	DEVICE explicit CooperativeSampleSort(const CooperativeSort& job)
	    : CooperativeBlock(job), sampledNumbers((u64*)(counters + 2 * bins)),
	      sampledRows((u32*)(sampledNumbers + sampled)) {}

	// Orders the records of a range, and writes their row numbers from a place of the result on.
	DEVICE void sort(u32 start, u32 size, const SmallSortResult& result, u32 place) const {
		const u32 t = thread_index();
		sort_sample(record(start + t * size / COOPERATIVE_THREADS));
		counters[t] = 0;
		sync_block();
		u32 bin[items];
		UNROLL for (u32 k = 0; k < items && k * COOPERATIVE_THREADS + t < size; k++) {
			bin[k] = bin_of(record(start + k * COOPERATIVE_THREADS + t));
			atomic_add(counters + bin[k], 1u);
		}
		sync_block();
		u32 rows;
		counters[t] = block_exclusive_sum<COOPERATIVE_THREADS>(counters[t], sums, &rows);
		sync_block();
		UNROLL for (u32 k = 0; k < items && k * COOPERATIVE_THREADS + t < size; k++) {
			const Row row = record(start + k * COOPERATIVE_THREADS + t);
			const u32 at = atomic_add(counters + bin[k], 1u);
			numbers[at] = row.number, tags[at] = row.tag | bin[k] << ROW_BITS;
		}
		sync_block(); // a bin ends at its counter
		ROLLED for (u32 at = t; at < size; at += COOPERATIVE_THREADS) {
			const Row row = staged_row(at);
			const u32 bin = row.tag >> ROW_BITS, end = counters[bin], first = bin ? counters[bin - 1] : 0;
			u32 before = first;
			ROLLED for (u32 other = first; other < end; other++) before += staged_row(other).before(row);
			result.put(place + before, row.tag & ROW);
		}
		sync_block();
	}

private:
	DEVICE Row record(u32 at) const {
		return {load_past((const u64*)job.numbers + at), load_relaxed((const u32*)job.tags + at)};
	}
	DEVICE Row staged_row(u32 at) const { return {numbers[at], tags[at]}; }
	// Sorts a row of each thread: a bitonic sort.
	DEVICE void sort_sample(Row mine) const {
		const u32 t = thread_index();
		ROLLED for (u32 run = 2; run <= COOPERATIVE_THREADS; run *= 2) {
			ROLLED for (u32 by = run / 2; by > 0; by /= 2) {
				Row other;
				if (by < 32) other = {shuffle_xor(mine.number, by), (u32)shuffle_xor(mine.tag, by)};
				else share(mine), other = sampled_row(t ^ by);
				const bool least = ((t & by) == 0) == ((t & run) == 0);
				if (least != mine.before(other)) mine = other;
			}
		}
		share(mine);
	}
	DEVICE void share(const Row& mine) const {
		sync_block();
		const u32 place = spread_place(thread_index());
		sampledNumbers[place] = mine.number, sampledRows[place] = mine.tag;
		sync_block();
	}
	DEVICE Row sampled_row(u32 at) const {
		const u32 place = spread_place(at);
		return {sampledNumbers[place], sampledRows[place]};
	}
	// How many sampled rows sort before a row, the last one not counted.
	DEVICE u32 bin_of(const Row& row) const {
		u32 bin = 0;
		UNROLL for (u32 step = bins / 2; step > 0; step /= 2) {
			bin += sampled_row(bin + step - 1).before(row) ? step : 0;
		}
		return bin;
	}
};

// Not inlined, so that the code for most rows has all registers.
NOINLINE void sort_by_sample(const CooperativeSort* job, u32 start, u32 size, u32 place) {
	CooperativeSampleSort(*job).sort(start, size, SmallSortResult(job->small), place);
}
