// Our sort by one key column or two, with key scan and decision, as package gpu launches it.
#pragma once
#include "../../kernels/test/heavy.h"
#include "../../kernels/test/keys.h"
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
	CooperativeTemp cooperativeTemp;
	Buckets buckets = {}; // of the last sort by partition and bucket sort
	bool partitioned = false; // whether it is one
	const char* path = "";
	u64 keysRows = 1 << 23;  // for more, keys are read as one column
	bool smallSorts = true; // few rows, as the engine does

	Ours(Device& d, u64 n)
	    : d(d), temp(d, n, STRIP_ROWS), column((Column*)d.allocate(2 * sizeof(Column))),
	      statisticsOut((Statistics*)d.allocate(2 * sizeof(Statistics))), fields((Field*)d.allocate(2 * sizeof(Field))),
	      codes((u64*)d.allocate(n * 8)), partitionTemp(d, n, temp.codes[0], temp.codes[1]), cooperativeTemp(d) {
		must(cudaMallocHost(&statisticsHost, 2 * sizeof(Statistics)), "pinned memory");
	}

	static Column describe(const Key& k) {
		Column c = {};
		u64 width = width_of(k.type), sign = 1ull << (8 * width - 1);
		c.values = (u64)k.values, c.validity = (u64)k.validity, c.bit = k.bit;
		c.form = is_float(k.type) ? FORM_FLOAT : FORM_INTEGER, c.width = c.stride = width, c.sign = sign;
		c.infinity = k.type == F32 ? 0x7f800000 : 0x7ff0000000000000;
		c.signBit = is_signed(k.type) ? sign : 0;
		c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
		return c;
	}

	// Writes the row numbers; returns the bits of the code.
	u32 sort(const Keys& o, u64 n, u32* rows) {
		Column c = describe(o.key[0]);
		u32 bits = 8 * (u32)c.width;
		bool direct = o.count == 1 && c.width >= 4, few = smallSorts && n <= launch_rows();
		if (few && o.count == 1) {
			if (sort_small(whole_field(c), c.nullsAtStart ? CLASSES_AT_START : CLASSES_AT_END, n, rows)) return bits;
			WordPlan p = plan_word(c, widest(c, bits), n);
			if (c.width == 4 && p.fits && p.bits <= 32) return path = "digits", sort_digits(p, n, rows, 0);
		}
		if (n > 1u << 28) return printf("too many rows for one key scan\n"), exit(4), 0;
		if (!direct) {
			if (n > keysRows && sort_keys(o, n, rows, &bits)) return bits;
			bits = encode_keys(o, n);
			c = codes_column(codes);
			if (few && o.count > 1 && sort_small(codes_field(codes), NO_CLASSES, n, rows)) return bits;
		}
		return sort_column(c, bits, n, rows);
	}
	u32 sort_column(const Column& c, u32 bits, u64 n, u32* rows) {
		Partitioner q{d, partitionTemp};
		q.launch(c, bits, n, rows);
		buckets = q.b, path = q.ordered ? "order" : "buckets";
		bool sorted = q.sorts();
		partitioned = sorted && !q.ordered;
		if (sorted) return bits;
		const Decision& decision = q.report().decision;
		Statistics s = decision.early ? widest(c, bits) : q.report().statistics;
		WordPlan p = plan_word(c, s, n);
		static const char* const paths[2][6] = {{"", "equal", "few", "large", "count", "read"},
		                                        {"", "equal!", "few!", "large!"}};
		path = paths[decision.early][decision.reason];
		if (decision.split) {
			path = "split";
			return sort_heavy(d, temp, q, q.report(), (u32*)codes), bits;
		}
		if (!s.falls) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 0), 0;
		if (!s.rises && !s.ties) return d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, 1), 0;
		if (!p.fits) return printf("a key needs a class bit\n"), exit(4), 0;
		return sort_digits(p, n, rows, decision.early ? q.report().statistics.any & q.report().statistics.notAll : 0);
	}
	// Sorts by all digits, or by those in which some of these bits are.
	u32 sort_digits(const WordPlan& p, u64 n, u32* rows, u64 varying) {
		d.up(temp.field, &p.field, sizeof(Field));
		Sorter sorter(d, temp, n, STRIP_ROWS);
		sorter.shortCodes = p.field.width == 4 && p.bits <= 32;
		std::vector<size_t> use; // all digits, if the sample shows that they vary
		if (varying) use = varying_digits(p.bits, varying);
		if (use.size() < digits_of(p.bits).size()) use.clear();
		sorter.sort(temp.field, false, p.bits, rows, use);
		return p.bits;
	}

	// Few rows need no key scan: a block, a cluster or a cooperative launch sorts them.
	u64 launch_rows() const {
		return std::min<u64>(COOPERATIVE_ROWS, COOPERATIVE_ITEMS * COOPERATIVE_THREADS * d.multiprocessors);
	}
	[[nodiscard]] bool sort_small(const Field& field, Classes classes, u64 n, u32* rows, const u32* in = nullptr) {
		SmallSort job = {field, classes, n, (u64)in, (u64)rows};
		path = n <= SINGLE_BLOCK_SMALL_ROWS ? "block"
		       : n <= CLUSTER_ROWS          ? "cluster"
		                                    : "cooperative",
		partitioned = false;
		if (n <= SINGLE_BLOCK_SMALL_ROWS)
			d.run(single_block_small, 1, SINGLE_BLOCK_THREADS, single_block_bytes(SINGLE_BLOCK_SMALL_ITEMS), job);
		else if (n <= CLUSTER_ROWS) d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, job);
		else return sort_cooperatively(d, cooperativeTemp, job, temp.codes[0], temp.rows[0]);
		return true;
	}

	// Sorts by keys as they are read in one number, unless the device declines; bits are those of the number.
	bool sort_keys(const Keys& o, u64 n, u32* rows, u32* bits) {
		std::vector<Column> columns;
		for (int i = 0; i < o.count; i++) columns.push_back(describe(o.key[i]));
		KeysWord word = word_of_keys(columns);
		d.up(fields, word.fields.data(), o.count * sizeof(Field));
		Partitioner q{d, partitionTemp};
		q.launch(keys_column(fields, o.count), word.bits, n, rows);
		buckets = q.b, partitioned = q.sorts();
		*bits = word.bits;
		path = "keys";
		if (partitioned || q.report().decision.reason != REASON_ORDERED) return partitioned;
		d.run(iota, d.multiprocessors * 8, STREAM_THREADS, 0, rows, n, q.report().statistics.falls != 0);
		return true;
	}
	// Makes codes of keys that the device declined to read from the columns; returns their bits. Keys that fill 64 bits
	// at most need no statistics.
	u32 encode_keys(const Keys& o, u64 n) {
		Column c[2];
		u32 width = 0, bits = 0;
		bool classes = false;
		for (int i = 0; i < o.count; i++) {
			c[i] = describe(o.key[i]);
			width += 8 * (u32)c[i].width;
			classes |= c[i].validity != 0 || c[i].form == FORM_FLOAT;
		}
		bool whole = !classes && width <= 64;
		if (!whole) measure(c, o.count, n);
		Field f[2];
		for (int i = o.count - 1; i >= 0; i--) {
			WordPlan p = {whole_field(c[i]), 8 * (u32)c[i].width, true};
			if (!whole) p = plan_word(c[i], statisticsHost[i], n);
			if (!p.fits || bits + p.bits > 64) printf("the keys need two words\n"), exit(4);
			f[i] = p.field;
			f[i].up = bits;
			bits += p.bits;
		}
		d.up(fields, f, o.count * sizeof(Field));
		d.run(encode, d.multiprocessors * 8, STREAM_THREADS, 0, fields, o.count, n, nullptr, codes);
		return bits;
	}
	void measure(const Column* c, int count, u64 n) {
		d.up(column, c, count * sizeof(Column));
		d.zero(statisticsOut, count * sizeof(Statistics));
		u64 grid = std::min(ceil_div(n, STREAM_THREADS * 8), d.multiprocessors * 3);
		for (int i = 0; i < count; i++)
			d.run(statistics, grid, STREAM_THREADS, statisticsBytes, column + i, n, statisticsOut + i);
		d.down(statisticsHost, statisticsOut, count * sizeof(Statistics));
	}
};
