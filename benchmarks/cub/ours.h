// Our sort of one key column, the look at it and the decision included.
#pragma once
#include "../../kernels/test/partition.h"
#include "../../kernels/test/plan.h"
#include "columns.h"

struct Ours {
	Device& d;
	Temp temp;
	PartitionTemp partitionTemp;
	Verdict verdict = {}; // of the last sort
	const char* path = "";

	Ours(Device& d, u64 n) : d(d), temp(d, n, STRIP_ROWS), partitionTemp(d, n, temp.codes[0], temp.codes[1]) {}

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
		Partitioner q{d, partitionTemp};
		q.launch(c, 8 * (u32)c.width, n, rows);
		const Report& report = q.told();
		const Statistics& s = report.statistics;
		verdict = report.verdict;
		WordPlan p = plan_word(c, s, n);
		static const char* const paths[] = {"finish", "equal", "few", "large", "count", "read"};
		path = paths[verdict.why];
		if (verdict.goOn) return p.bits;
		if (!s.falls) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 0), 0;
		if (!s.rises && !s.ties) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 1), 0;
		if (!p.fits) return printf("needs a class bit\n"), exit(4), 0;
		d.up(temp.field, &p.field, sizeof(Field));
		Sorter{d, temp, n, STRIP_ROWS, std::max(bits_of(n - 1), 1u)}.sort(temp.field, false, p.bits, rows);
		return p.bits;
	}
};
