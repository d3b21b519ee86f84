// The launches after a decision to split heavy values, as package gpu makes them.
#pragma once
#include "partition.h"

// Sorts codes of the other rows, digit by digit unless they are few (package gpu sorts more of them in a single
// launch); from t to sorted.
inline void sort_codes(Device& d, Temp& t, u64 others, u64 rowBits, u32 codeBits, u64 varying, u32* sorted) {
	Field f = codes_field(t.codes[0]);
	if (others <= CLUSTER_ROWS) {
		SmallSort job = {f, NO_CLASSES, others, (u64)t.rows[0], (u64)sorted};
		if (others <= SINGLE_BLOCK_SMALL_ROWS)
			return d.run(single_block_small, 1, SINGLE_BLOCK_THREADS, single_block_bytes(SINGLE_BLOCK_SMALL_ITEMS),
			             job);
		return d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, job);
	}
	d.up(t.field, &f, sizeof f);
	Sorter sorter(d, t, others, STRIP_ROWS);
	sorter.rowBits = rowBits;
	sorter.sort(t.field, true, codeBits, sorted, varying_digits(codeBits, varying));
}

// Sorts after a decision to split. t and sorted have space for the other rows.
inline void sort_heavy(Device& d, Temp& t, const Partitioner& p, const Report& r, u32* sorted) {
	Buckets b = p.b;
	bool wide = b.field.width == 8;
	u64 others = r.decision.records;
	b.records[0] = (u64)t.codes[0], b.records[1] = (u64)t.rows[0];
	d.run(wide ? split_heavy_wide : split_heavy, ceil_div(b.n, p.tile()), SPLIT_THREADS, SPLIT_BYTES, b);
	if (others == 0) return;
	sort_codes(d, t, others, b.rowBits, (u32)b.codeBits, r.statistics.any & r.statistics.notAll, sorted);
	b.records[0] = (u64)sorted;
	d.run(merge_heavy, std::min(ceil_div(others, STREAM_THREADS * 4), d.multiprocessors * 8), STREAM_THREADS, 0, b);
}
