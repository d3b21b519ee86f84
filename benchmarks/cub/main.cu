// Proves and times the kernels against CUB in one process.
//
//   cub prove LOG2       every type, distribution, order and size up to 2^LOG2 rows: 0 wrong rows
//   cub time LOG2...     medians for 2^LOG2 rows
//   cub phases LOG2...   when each kernel ends, for two distributions
#include "../../kernels/arrowsort.cu"
#include "ours.h"
#include "proof.h"
#include "theirs.h"
#include "timing.h"
#include <string>

namespace {

struct Bench {
	Device d;
	u64 most;
	u8* values;
	u32 *validity, *rows;
	Ours ours;
	Proof proof;
	int wrong = 0, cases = 0;

	explicit Bench(u64 most)
	    : most(most), values((u8*)d.allocate(most * 8)), validity((u32*)d.allocate(most / 8 + 8)), rows((u32*)d.allocate(most * 4)),
	      ours(d, most), proof(d, most) {}

	Keys make(Type t, u64 n, int distribution, u64 seed, u32 nullPercent, bool odd, int mode) {
		make_values<<<4096, 256, 0, d.stream>>>(t, values, n, distribution, seed, odd);
		if (nullPercent) make_validity<<<4096, 256, 0, d.stream>>>(validity, n, seed, nullPercent);
		return {t, values, nullPercent ? validity : nullptr, (mode & 1) != 0, (mode & 2) != 0};
	}
	void check(Type t, u64 n, int distribution, u32 nullPercent, bool odd, int mode) {
		Keys k = make(t, n, distribution, n + distribution, nullPercent, odd, mode);
		for (int i = 0; i < 2; i++) d.fill(ours.temp.codes[i], 0xee, n * 8), d.fill(ours.temp.rows[i], 0xee, n * 4);
		d.fill(rows, 0xee, n * 4);
		u32 bits = ours.sort(k, n, rows);
		std::string what = std::string(typeNames[t]) + " " + distributionNames[distribution] + " nulls " + std::to_string(nullPercent) +
		                   " mode " + std::to_string(mode) + " bits " + std::to_string(bits) + " " + ours.path;
		wrong += !proof.holds(k, rows, n, what.c_str());
		cases++;
	}
	void prove();
	void phases(Type t, u64 n, int distribution);
	void time(Type t, u64 n, int distribution);
};

void Bench::prove() {
	const u64 tile = DIGIT_TILE, wide = DIGIT_TILE_WIDE;
	for (u64 n : {(u64)1, (u64)2, (u64)31, (u64)33, (u64)1000, wide - 1, wide, wide + 1, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 1,
	              (u64)100003, (u64)(1 << 20) + 7})
		for (int t = 0; t < TYPES && n <= most; t++) check((Type)t, n, 0, t % 2 ? 10 : 0, true, (int)(n + t) % 4);
	for (int distribution = 0; distribution < distributions; distribution++)
		for (int t = 0; t < TYPES; t++)
			for (u64 n : {(u64)5000, (u64)(1 << 21) + 13})
				if (n <= most) check((Type)t, n, distribution, t == distribution % TYPES ? 25 : 0, distribution % 2, distribution % 4);
	for (int t : {U32, I64, F64}) check((Type)t, most - 12345, 0, t == F64 ? 5 : 0, t == F64, 0);
	printf("%d sorts proved, %d wrong\n", cases, wrong);
}

void Bench::time(Type t, u64 n, int distribution) {
	Keys k = make(t, n, distribution, 42, 0, false, 0);
	int runs = n >= 1 << 27 ? 7 : 15;
	u32 bits = 0;
	double mine = median_ms(d, runs, [] {}, [&] { bits = ours.sort(k, n, rows); });
	bool right = proof.holds(k, rows, n, "timed");
	wrong += !right;
	u32 width = width_of(t);
	Theirs theirs(width, n);
	double cub = median_ms(
	    d, runs, [&] { must(cudaMemcpyAsync(theirs.keys[0], values, n * width, cudaMemcpyDeviceToDevice, d.stream), "copy"); },
	    [&] { theirs.sort(n, d.stream); });
	theirs.release();
	printf("%-4s %10llu %-16s %2u bits %-7s ours %8.4f ms  CUB %8.4f ms  x %.2f %s\n", typeNames[t], (unsigned long long)n,
	       distributionNames[distribution], bits, ours.path, mine, cub, cub / mine, right ? "" : "WRONG");
	fflush(stdout);
}

void Bench::phases(Type t, u64 n, int distribution) {
	Keys k = make(t, n, distribution, 42, 0, false, 0);
	ours.sort(k, n, rows);
	d.marking = true;
	d.mark("begin");
	ours.sort(k, n, rows);
	must(cudaStreamSynchronize(d.stream), "wait");
	d.marking = false;
	printf("%s %llu rows, %s:", typeNames[t], (unsigned long long)n, distributionNames[distribution]);
	for (size_t i = 1; i < d.marks.size(); i++) {
		float ms;
		must(cudaEventElapsedTime(&ms, d.marks[i - 1].second, d.marks[i].second), "time");
		printf("  %s %.4f", d.marks[i].first, ms);
	}
	printf("\n");
	d.marks.clear();
}

} // namespace

int main(int count, char** arguments) {
	if (count < 3) return fprintf(stderr, "usage: cub prove LOG2 | time LOG2... | phases LOG2...\n"), 2;
	if (std::string(arguments[1]) == "prove") {
		Bench b(1ull << atoi(arguments[2]));
		b.prove();
		return b.wrong != 0;
	}
	u64 most = 0;
	for (int i = 2; i < count; i++) most = std::max<u64>(most, 1ull << atoi(arguments[i]));
	Bench b(most);
	for (int i = 2; i < count; i++) {
		u64 n = 1ull << atoi(arguments[i]);
		if (std::string(arguments[1]) == "phases") {
			for (int distribution : {0, 8}) b.phases(U32, n, distribution), b.phases(I64, n, distribution);
			continue;
		}
		for (int distribution = 0; distribution < distributions; distribution++) {
			b.time(U32, n, distribution);
			b.time(I64, n, distribution);
		}
	}
	return b.wrong != 0;
}
