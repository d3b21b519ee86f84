// The first rows of an order, without a sort of the others: as package gpu launches it, proved, and timed against whole
// sorts.
#pragma once
#include "../../kernels/test/select.h"
#include "bench.h"

// Selects and sorts the first k rows by one key.
struct Limited {
	Device& d;
	Ours& ours;
	SelectTemp temp;
	u32* places;
	bool selected = false; // the last time: the sample has not cutoffFailed

	Limited(Device& d, Ours& ours, u64 n, u64 k)
	    : d(d), ours(ours), temp(d, n, SelectShape(n, k).capacity, k),
	      places((u32*)d.allocate(SelectShape(n, k).capacity * 4)) {}
	void release() { temp.release(d), d.release(places); }

	// Writes the row numbers of at least the first k rows.
	void sort(const Key& key, u64 n, u64 k, u32* rows) {
		Column c = Ours::describe(key);
		KeysWord word = word_of_keys({c});
		Field field = word.fields[0];
		u32 bits = word.bits;
		if (!word.known) { // more numbers than a word has: statistics find the range
			ours.measure(&c, 1, n);
			WordPlan p = plan_word(c, ours.statisticsHost[0], n);
			field = p.field, bits = p.bits;
		}
		SelectShape shape(n, k);
		select_first(d, temp, field, bits, n, k, true, shape);
		d.wait_for_note();
		u64 m = temp.selected->candidates, tied = temp.selected->tied;
		selected = m <= shape.capacity && m + tied >= k;
		if (!selected) return (void)ours.sort({1, {key}}, n, rows);
		Column codes = codes_column(temp.codes);
		if (has_short_codes(field, bits)) codes.width = codes.stride = 4;
		if (m > 0) sort_candidates(codes, bits, m, rows);
		if (m < k) must(cudaMemcpyAsync(rows + m, temp.tied, (k - m) * 4, cudaMemcpyDeviceToDevice, d.stream), "copy");
	}
	void sort_candidates(const Column& codes, u32 bits, u64 m, u32* rows) {
		if (m <= ours.launch_rows() && ours.sort_small(whole_field(codes), NO_CLASSES, m, rows, temp.rows)) return;
		ours.sort_column(codes, bits, m, places);
		d.run(gather_4, std::min(ceil_div(m, GATHER_TILE), d.multiprocessors * 8), STREAM_THREADS, 0, temp.rows, places,
		      m, rows);
	}
};

inline void Bench::prove_limits() {
	const u64 before = cases;
	for (u64 n : {(u64)70001, (u64)(1 << 20) + 7, (u64)(1 << 21) - 1})
		for (int t = 0; t < I16; t++)
			for (int distribution = 0; distribution < distributions; distribution++)
				for (u64 k : {(u64)1, (u64)100, n / 50, n / 5, n / 2}) {
					if (n > most || ((int)k + distribution + t) % 3) continue;
					u32 odd = distribution % 2 * 10, nulls = distribution % 4 == 0 ? 25 : 0;
					prove_limit(single({(Type)t, distribution, nulls, odd, odd}, (distribution + t) % 4), n, k);
				}
	for (u64 n : {(u64)1 << 24, most - 12345})
		for (Type t : {U32, I64, F64})
			for (u64 k : {(u64)100, n / 10})
				for (int distribution : {UNIFORM, FIVE_VALUES, SORTED, OUTLIERS})
					if (n <= most) prove_limit(single({t, distribution}, 0), n, k);
	printf("%llu limits proved, %d wrong so far, %d of them sorted in full\n", (unsigned long long)(cases - before),
	       wrong, cutoffFailed);
}

inline void Bench::prove_limit(const Job& j, u64 n, u64 k) {
	Keys o = make(j, n, n + k);
	Limited limited(d, ours, n, k);
	d.fill(rows, 0xee, n * 4);
	limited.sort(o.key[0], n, k, rows);
	cutoffFailed += !limited.selected;
	std::string what = std::string("limit ") + std::to_string(k) + " " + typeNames[j.key[0].type] + " " +
	                   distributionNames[j.key[0].distribution] + " mode " + std::to_string(j.mode);
	wrong += !proof.first(o, rows, n, k, what.c_str());
	cases++;
	limited.release();
}

// A row for each limit; share: n / share rows, or -share rows if it is negative.
inline void Bench::limit_rows(const std::vector<u32>& sizes, const std::vector<long>& shares) {
	for (u32 log2 : sizes) {
		if (log2 < 20) continue;
		u64 n = 1ull << log2;
		for (int distribution : {UNIFORM, FIVE_VALUES})
			for (Type t : {U32, I64, F64}) {
				Job j = single({t, distribution}, 0);
				Timed whole = race(j, n);
				for (long share : shares) limit_row(j, log2, share < 0 ? -share : n / share, whole);
			}
	}
}

inline void Bench::limit_row(const Job& j, u32 log2, u64 k, const Timed& whole) {
	u64 n = 1ull << log2;
	Keys o = make(j, n, 42);
	Limited limited(d, ours, n, k);
	double ms = median_ms(d, 9, [] {}, [&] { limited.sort(o.key[0], n, k, rows); });
	bool right = proof.first(o, rows, n, k, "timed");
	wrong += !right;
	char note[120];
	snprintf(note, sizeof note, "all rows %.4f ms, CUB %.4f ms, %llu candidates%s%s", whole.ours, whole.theirs,
	         (unsigned long long)limited.temp.selected->candidates, limited.selected ? "" : ", sorted in full",
	         right && whole.right ? "" : " WRONG");
	row(std::string(typeNames[j.key[0].type]) + " " + distributionNames[j.key[0].distribution] + ", limit " +
	        std::to_string(k),
	    log2, 0, ms, "ms", true, note);
	limited.release();
}
