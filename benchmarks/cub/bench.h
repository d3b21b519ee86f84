// What the program does with one device: proofs, times, the table.
#pragma once
#include "../../kernels/test/gather.h"
#include "jobs.h"
#include "ours.h"
#include "proof.h"
#include "theirs.h"
#include "timing.h"
#include <string>

struct Timed {
	double ours, theirs; // ms
	u32 bits;
	bool right;
};

struct Bench {
	Device& d;
	u64 most;
	u8* values[2];
	u32 *validity, *rows;
	Ours ours;
	Proof proof;
	int wrong = 0, cases = 0, cutoffFailed = 0;

	Bench(Device& d, u64 most)
	    : d(d), most(most), values{(u8*)d.allocate(most * 8), (u8*)d.allocate(most * 8)},
	      validity((u32*)d.allocate(most / 8 + 24)), rows((u32*)d.allocate(most * 4)), ours(d, most), proof(d, most) {}

	Key make(int at, const Recipe& r, u64 n, u64 seed, int mode) {
		make_values<<<4096, 256, 0, d.stream>>>(r, values[at], n, seed + at);
		if (r.nullsPercent) make_validity<<<4096, 256, 0, d.stream>>>(validity, n + 64, seed, r.nullsPercent);
		return {r.type, values[at], r.nullsPercent ? validity : nullptr, (mode & 1) != 0, (mode & 2) != 0, seed % 64};
	}
	Keys make(const Job& j, u64 n, u64 seed) {
		Keys o = {j.count, {}};
		for (int i = 0; i < j.count; i++) o.key[i] = make(i, j.key[i], n, seed, j.mode);
		return o;
	}
	static Job single(const Recipe& r, int mode) { return {{r, {}}, 1, {}, mode, nullptr}; }

	void check(const Job& j, u64 n) {
		for (bool smallSorts : {false, true}) {
			ours.smallSorts = smallSorts;
			if (!smallSorts || n <= ours.launch_rows()) check_once(j, n);
		}
	}
	void check_once(const Job& j, u64 n) {
		Keys o = make(j, n, n + j.key[0].distribution);
		for (int i = 0; i < 2; i++) d.fill(ours.temp.codes[i], 0xee, n * 8), d.fill(ours.temp.rows[i], 0xee, n * 4);
		d.fill(rows, 0xee, n * 4);
		u32 bits = ours.sort(o, n, rows);
		std::string what = std::string(typeNames[j.key[0].type]) + " " + distributionNames[j.key[0].distribution] +
		                   " nulls " + std::to_string(j.key[0].nullsPercent) + " mode " + std::to_string(j.mode) +
		                   " bits " + std::to_string(bits) + " " + ours.path;
		wrong += !scattered(what) || !proof.holds(o, rows, n, what.c_str());
		cases++;
	}
	// Whether every bucket got the rows that the key scan has counted for it.
	bool scattered(const std::string& what) {
		if (!ours.partitioned) return true;
		const Buckets& b = ours.buckets;
		u32 buckets = 1u << b.bits;
		std::vector<u32> starts(buckets + 1), cursors(buckets);
		d.down(starts.data(), (const void*)b.starts, 4 * buckets + 4),
		    d.down(cursors.data(), (const void*)b.cursors, 4 * buckets);
		for (u32 k = 0; k < buckets; k++) {
			if (cursors[k] == starts[k + 1]) continue;
			printf("WRONG %s n %llu: bucket %u begins at %u and ends at %u, its rows end at %u\n", what.c_str(),
			       (unsigned long long)b.n, k, starts[k], starts[k + 1], cursors[k]);
			return false;
		}
		return true;
	}
	// Rows of classes in addition to records, at sizes around whole blocks of the key scan, repeatedly: for rare
	// failures.
	void prove_classes() {
		for (u64 n : {(u64)20000, (u64)32769, (u64)65535, (u64)65536, (u64)131071, (u64)500001})
			for (int round = 0; round < 50; round++)
				for (Type t : {F64, I64, F32})
					if (n <= most)
						check(single({t, UNIFORM, 5, 0, 0, t != I64}, round % 4), n - round * 7 % 1000 * (round % 2));
	}
	void prove_keys() {
		const Recipe i32 = {I32, UNIFORM}, i16 = {I16, UNIFORM}, f32 = {F32, UNIFORM, 10, 10, 10}, time = {I64, LIVE40},
		             id = {I64, LIVE32};
		const Recipe few = {I32, FIVE_VALUES, 10}, constant = {I32, CONSTANT}, sorted = {U32, SORTED},
		             odd = {I64, ODD_VALUE};
		const Recipe pairs[][2] = {{i32, i32}, {i16, time},     {time, i16},        {f32, i32},
		                           {i32, f32}, {id, i16},       {i16, id},          {few, f32},
		                           {odd, i16}, {constant, i32}, {constant, sorted}, {sorted, i32}};
		int mode = 0;
		for (u64 keysRows : {(u64)0, (u64)1 << 23}) {
			ours.keysRows = keysRows;
			for (const auto& pair : pairs)
				for (u64 n : {(u64)9, (u64)5000, (u64)60001, (u64)(1 << 20) + 77, most - 4321})
					if (n <= most) check({{pair[0], pair[1]}, 2, {}, mode++ % 4, "two keys"}, n);
		}
	}
	void prove() {
		const u64 tile = MEDIUM_TILE, wide = MEDIUM_TILE_WIDE;
		for (u64 n : {(u64)1, (u64)2, (u64)31, (u64)33, (u64)1000, wide - 1, wide, wide + 1, tile - 1, tile, tile + 1,
		              2 * tile - 1, 2 * tile + 1, (u64)100003, (u64)(1 << 20) + 7})
			for (int t = 0; t < TYPES && n <= most; t++)
				check(single({(Type)t, 0, t % 2 ? 10u : 0, 10, 20}, (int)(n + t) % 4), n);
		for (int distribution = 0; distribution < distributions; distribution++)
			for (int t = 0; t < TYPES; t++)
				for (u64 n : {(u64)5000, (u64)60001, (u64)(1 << 21) + 13}) {
					u32 odd = distribution % 2 * 10;
					if (n <= most)
						check(single({(Type)t, distribution, t == distribution % TYPES ? 25u : 0, odd, odd},
						             distribution % 4),
						      n);
				}
		for (int t : {U32, I64, F64})
			check(single({(Type)t, 0, t == F64 ? 5u : 0, t == F64 ? 10u : 0, 0}, 0), most - 12345);
		prove_classes();
		prove_keys();
		prove_limits();
		printf("%d sorts proved, %d wrong\n", cases, wrong);
	}

	Timed race(const Job& j, u64 n) { return race(j, n, n >= 1 << 27 ? 5 : 15); }
	Timed race(const Job& j, u64 n, int runs) {
		Keys o = make(j, n, 42);
		Timed t = {};
		t.ours = median_ms(d, runs, [] {}, [&] { t.bits = ours.sort(o, n, rows); });
		t.right = proof.holds(o, rows, n, "timed");
		wrong += !t.right;
		if (j.count > 1) ours.encode_keys(o, n); // for them
		u32 width = j.count > 1 ? 8 : width_of(j.key[0].type);
		const void* keys = j.count > 1 ? (const void*)ours.codes : values[0];
		Theirs theirs(width, n);
		t.theirs = median_ms(
		    d, runs,
		    [&] { must(cudaMemcpyAsync(theirs.keys[0], keys, n * width, cudaMemcpyDeviceToDevice, d.stream), "copy"); },
		    [&] { theirs.sort(n, d.stream); });
		theirs.release();
		return t;
	}
	void time(const Recipe& r, u64 n) {
		Timed t = race(single(r, 0), n);
		printf("%-4s %10llu %-24s %2u bits %-7s ours %8.4f ms  CUB %8.4f ms  x %.2f %s\n", typeNames[r.type],
		       (unsigned long long)n, distributionNames[r.distribution], t.bits, ours.path, t.ours, t.theirs,
		       t.theirs / t.ours, t.right ? "" : "WRONG");
		fflush(stdout);
	}
	void phases(const Job& j, u64 n);
	void table(u32 log2);
	void row(const std::string& job, u32 log2, double asked, double measured, const char* unit, bool met,
	         const std::string& note);
	void gather_row(u32 log2);
	void limit_rows(const std::vector<u32>& sizes, const std::vector<long>& shares);
	void limit_row(const Job& j, u32 log2, u64 k, const Timed& whole);
	void prove_limits();
	void prove_limit(const Job& j, u64 n, u64 k);
	void small_sorts_row();
	void search(u32 log2, u32 seconds);
};

inline void Bench::phases(const Job& j, u64 n) {
	Keys o = make(j, n, 42);
	ours.sort(o, n, rows);
	d.marking = true;
	d.mark("begin");
	ours.sort(o, n, rows);
	must(cudaStreamSynchronize(d.stream), "wait");
	d.marking = false;
	printf("%s %llu rows, %s:", typeNames[j.key[0].type], (unsigned long long)n,
	       j.name ? j.name : distributionNames[j.key[0].distribution]);
	for (size_t i = 1; i < d.marks.size(); i++) {
		float ms;
		must(cudaEventElapsedTime(&ms, d.marks[i - 1].second, d.marks[i].second), "time");
		printf("  %s %.4f", d.marks[i].first, ms);
	}
	printf("\n");
	d.marks.clear();
}
