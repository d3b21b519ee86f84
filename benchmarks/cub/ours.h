// Our sort of one key column, the statistics and the decision included.
#pragma once
#include "../../kernels/test/partition.h"
#include "../../kernels/test/plan.h"
#include "columns.h"

struct Ours {
	Device& d;
	Temp temp;
	Column* column;
	Statistics *statisticsOut, *statisticsHost;
	PartitionTemp partitionTemp;
	Verdict* verdictHost;
	const char* path = "";

	Ours(Device& d, u64 n) : d(d), temp(d, n, STRIP_ROWS), partitionTemp(d, n, temp.codes[0], temp.codes[1]) {
		must(cudaMallocHost(&verdictHost, sizeof(Verdict)), "pinned memory");
		column = (Column*)d.allocate(sizeof(Column));
		statisticsOut = (Statistics*)d.allocate(sizeof(Statistics));
		must(cudaMallocHost(&statisticsHost, sizeof(Statistics)), "pinned memory");
	}

	static Column describe(const Keys& k) {
		Column c = {};
		u64 width = width_of(k.type), sign = 1ull << (8 * width - 1);
		c.values = (u64)k.values, c.validity = (u64)k.validity;
		c.form = is_float(k.type) ? FORM_FLOAT : FORM_INTEGER, c.width = c.stride = width, c.sign = sign;
		c.infinity = k.type == F32 ? 0x7f800000 : 0x7ff0000000000000;
		c.signBit = k.type == U32 || k.type == U64 ? 0 : sign;
		c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
		return c;
	}

	// Writes the row numbers; returns the bits of the code.
	u32 sort(const Keys& k, u64 n, u32* rows) {
		Column c = describe(k);
		d.up(column, &c, sizeof c);
		d.zero(statisticsOut, sizeof(Statistics));
		u64 grid = std::min(ceil_div(n, STREAM_THREADS * 8), d.multiprocessors * 3);
		d.run(statistics, grid, STREAM_THREADS, statisticsBytes, column, n, statisticsOut);
		d.down(statisticsHost, statisticsOut, sizeof(Statistics));
		const Statistics& s = *statisticsHost;
		path = "read";
		if (!s.falls) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 0), 0;
		if (!s.rises && !s.ties) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 1), 0;
		WordPlan p = plan_word(c, s, n);
		if (!p.fits) return printf("needs a class bit\n"), exit(4), 0;
		d.up(temp.field, &p.field, sizeof(Field));
		path = "digits";
		if (p.bits > 2 * RADIX_BITS && n <= 1u << 28 && partition(p, n, rows)) return p.bits;
		Sorter{d, temp, n, STRIP_ROWS, std::max(bits_of(n - 1), 1u)}.sort(temp.field, false, p.bits, rows);
		return p.bits;
	}

	// Sorts by partition and finish if the keys are good for it.
	bool partition(const WordPlan& p, u64 n, u32* rows) {
		Partitioner q{d, partitionTemp};
		q.look(temp.field, n, p.bits, rows);
		d.down(verdictHost, partitionTemp.verdict, sizeof(Verdict));
		if (!Partitioner::good(*verdictHost, q.b)) return q.refuse(), path = "refused", false;
		q.sort();
		path = "finish";
		return true;
	}
};
