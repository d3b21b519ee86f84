// Our sort by one key column or two, the statistics and the decision included, as package gpu launches it.
#pragma once
#include "../../kernels/test/partition.h"
#include "../../kernels/test/plan.h"
#include "columns.h"

struct Ours {
	Device& d;
	Temp temp;
	Column* column; // two of them, and their statistics
	Statistics *statisticsOut, *statisticsHost;
	Field* fields;
	u64* codes; // of words that no kernel reads from the columns
	PartitionTemp partitionTemp;
	Verdict* verdictHost;
	const char* path = "";

	Ours(Device& d, u64 n)
	    : d(d), temp(d, n, STRIP_ROWS), column((Column*)d.allocate(2 * sizeof(Column))), statisticsOut((Statistics*)d.allocate(2 * sizeof(Statistics))),
	      fields((Field*)d.allocate(2 * sizeof(Field))), codes((u64*)d.allocate(n * 8)), partitionTemp(d, n, temp.codes[0], temp.codes[1]) {
		must(cudaMallocHost(&verdictHost, sizeof(Verdict)), "pinned memory");
		must(cudaMallocHost(&statisticsHost, 2 * sizeof(Statistics)), "pinned memory");
	}

	static Column describe(const Key& k) {
		Column c = {};
		u64 width = width_of(k.type), sign = 1ull << (8 * width - 1);
		c.values = (u64)k.values, c.validity = (u64)k.validity;
		c.form = is_float(k.type) ? FORM_FLOAT : FORM_INTEGER, c.width = c.stride = width, c.sign = sign;
		c.infinity = k.type == F32 ? 0x7f800000 : 0x7ff0000000000000;
		c.signBit = is_signed(k.type) ? sign : 0;
		c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
		return c;
	}

	// Writes the row numbers; returns the bits of the code.
	u32 sort(const Keys& o, u64 n, u32* rows) {
		Column c[2];
		for (int i = 0; i < o.count; i++) c[i] = describe(o.key[i]);
		d.up(column, c, o.count * sizeof(Column));
		d.zero(statisticsOut, o.count * sizeof(Statistics));
		u64 grid = std::min(ceil_div(n, STREAM_THREADS * 8), d.multiprocessors * 3);
		for (int i = 0; i < o.count; i++) d.run(statistics, grid, STREAM_THREADS, statisticsBytes, column + i, n, statisticsOut + i);
		d.down(statisticsHost, statisticsOut, o.count * sizeof(Statistics));
		path = "read";
		if (o.count == 1) {
			const Statistics& s = *statisticsHost;
			if (!s.falls) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 0), 0;
			if (!s.rises && !s.ties) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 1), 0;
		}
		WordPlan p = plan(o, c, n);
		d.up(temp.field, &p.field, sizeof(Field));
		path = "digits";
		if (p.bits > 2 * RADIX_BITS && n <= 1u << 28 && partition(p, n, rows)) return p.bits;
		Sorter s(d, temp, n, STRIP_ROWS);
		s.shortCodes = p.field.width == 4 && p.bits <= 32;
		s.sort(temp.field, false, p.bits, rows);
		return p.bits;
	}

	// The word to sort by: a column as it lies there, or codes made from columns.
	WordPlan plan(const Keys& o, const Column* c, u64 n) {
		WordPlan p[2];
		for (int i = 0; i < o.count; i++) p[i] = part(c[i], statisticsHost[i], n);
		if (o.count == 1 && c[0].width >= 4) return p[0];
		u32 below = o.count > 1 ? p[1].bits : 0;
		if (p[0].bits + below > 64) printf("the keys need two words\n"), exit(4);
		Field f[2] = {p[0].field, p[1].field};
		f[0].up = below;
		d.up(fields, f, o.count * sizeof(Field));
		d.run(encode, d.multiprocessors * 8, STREAM_THREADS, 0, fields, o.count, n, nullptr, codes);
		WordPlan all = {codes_field(codes), p[0].bits + below, true};
		return all;
	}
	static WordPlan part(const Column& c, const Statistics& s, u64 n) {
		WordPlan p = plan_word(c, s, n);
		if (!p.fits) printf("a key needs a class bit\n"), exit(4);
		return p;
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
