// The table of speeds that are asked for, row by row.
#pragma once
#include "limits.h"

inline void Bench::row(const std::string& job, u32 log2, double asked, double measured, const char* unit, bool met,
                       const std::string& note) {
	char ask[16] = ""; // of some sizes nothing is asked
	if (asked > 0) snprintf(ask, sizeof ask, "%6.2f %s", asked, unit);
	printf("%-48s 2^%-4u %-10s %8.2f %-3s %-6s %s\n", job.c_str(), log2, ask, measured, unit, met ? "" : "missed",
	       note.c_str());
	fflush(stdout);
}

inline void Bench::table(u32 log2) {
	size_t column = std::find(std::begin(jobRows), std::end(jobRows), (int)log2) - jobRows;
	if (column == std::size(jobRows)) return (void)printf("2^%u rows are not in the table\n", log2);
	for (const Job& j : table_jobs()) {
		if (j.asked[column] == 0) continue;
		std::string name = job_name(j);
		Timed t = race(j, 1ull << log2);
		char note[100];
		snprintf(note, sizeof note, "%.4f ms, %.4f ms, %u bits, %s%s", t.ours, t.theirs, t.bits, ours.path,
		         t.right ? "" : " WRONG");
		row(name, log2, j.asked[column], t.theirs / t.ours, "x", t.theirs / t.ours >= j.asked[column], note);
	}
	gather_row(log2);
	limit_rows({log2}, {-100, 100});
}

// Gathers columns of 8 bytes by the result of a sort, as the engine does: in windows. Plain is a gather without.
inline void Bench::gather_row(u32 log2) {
	if (log2 < 24) return;
	u64 n = 1ull << log2;
	Keys k = make(single({I64, UNIFORM}, 0), n, 42);
	ours.sort(k, n, rows);
	const u64* column = (const u64*)values[0];
	u64 *between = ours.temp.codes[0], *gathered = ours.codes;
	WindowGather windows(d, n);
	auto proved = [&] {
		bool right = proof.gathered(column, rows, n, gathered, "gathered");
		d.fill(gathered, 0xee, n * 8);
		wrong += !right;
		return right;
	};
	double plain = median_ms(
	    d, 5, [] {}, [&] { d.run(gather_8, d.multiprocessors * 8, STREAM_THREADS, 0, column, rows, n, gathered); });
	bool right = proved();
	for (int columns : {1, 3}) {
		double ms = median_ms(d, 5, [] {}, [&] {
			windows.scatter(rows, 20);
			for (int c = 0; c < columns; c++) windows.gather(column, between, gathered);
		}) / columns;
		right &= proved();
		char note[100];
		snprintf(note, sizeof note, "plain %.4f ms%s", plain, right ? "" : " WRONG");
		row("gather of 8 bytes, " + std::string(columns > 1 ? "each of 3 columns" : "one column"), log2,
		    log2 == 28 ? 4 : 0, ms, "ms", log2 != 28 || ms <= 4, note);
	}
	windows.release();
}

// Sorts 10,000 rows again and again, each sort with its decision.
inline void Bench::small_sorts_row() {
	const u64 n = 10000, sorts = 1000;
	if (n > most) return;
	Keys o = make(single({I64, UNIFORM}, 0), n, 42);
	double ms = median_ms(d, 3, [] {}, [&] {
		for (u64 i = 0; i < sorts; i++) ours.sort(o, n, rows);
	});
	bool right = proof.holds(o, rows, n, "timed");
	wrong += !right;
	row("1,000 sorts of 10,000 rows, i64: one", 13, 25, ms * 1000 / sorts, "us", ms * 1000 / sorts <= 25,
	    right ? ours.path : "WRONG");
}
