// The launches that are left when most rows are of classes, as package gpu makes them.
#pragma once
#include "partition.h"

// Sorts codes of the others, digit by digit unless they are few (package gpu has a grid sort more of them by one launch); from t to sorted.
inline void sort_codes(Device& d, Temp& t, u64 others, u64 rowBits, u32 codeBits, u64 varying, u32* sorted) {
	Field f = codes_field(t.codes[0]);
	if (others <= CLUSTER_ROWS) {
		Few few = {f, NO_CLASSES, others, (u64)t.rows[0], (u64)sorted};
		if (others <= TINY_FEW_ROWS) return d.run(tiny_few, 1, TINY_THREADS, tiny_bytes(TINY_FEW_ITEMS), few);
		return d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, few);
	}
	d.up(t.field, &f, sizeof f);
	Sorter sorter(d, t, others, STRIP_ROWS);
	sorter.rowBits = rowBits;
	sorter.sort(t.field, true, codeBits, sorted, varying_digits(codeBits, varying));
}

// Sorts behind a verdict that says so. t and sorted have room for the others.
inline void sort_aside(Device& d, Temp& t, const Partitioner& p, const Report& r, u32* sorted) {
	Buckets b = p.b;
	bool wide = b.field.width == 8;
	u64 others = r.verdict.records;
	b.records[0] = (u64)t.codes[0], b.records[1] = (u64)t.rows[0];
	d.run(wide ? set_aside_wide : set_aside, ceil_div(b.n, p.tile()), ASIDE_THREADS, ASIDE_BYTES, b);
	if (others == 0) return;
	sort_codes(d, t, others, b.rowBits, (u32)b.codeBits, r.statistics.any & r.statistics.notAll, sorted);
	b.records[0] = (u64)sorted;
	d.run(put_back, std::min(ceil_div(others, STREAM_THREADS * 4), d.multiprocessors * 8), STREAM_THREADS, 0, b);
}
