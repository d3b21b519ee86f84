// A search for keys that we sort slowly, compared with CUB: generated distributions, one after the other.
#pragma once
#include "bench.h"
#include <chrono>

struct Found {
	Recipe recipe;
	Timed timed;
	const char* path;

	double ratio() const { return timed.theirs / timed.ours; }
};

// Races as many variants as the time allows, each with a type, nulls or none, and one of four orders, and prints the
// slowest.
inline void Bench::search(u32 log2, u32 seconds) {
	const Type types[] = {U32, I64, F64, F32, U64, I32};
	const size_t shown = 12;
	std::vector<Found> found;
	auto begin = std::chrono::steady_clock::now();
	u64 variant = 0;
	while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(seconds)) {
		variant++;
		Recipe r = {types[variant % std::size(types)], UNIFORM, variant % 5 == 0 ? 30u : 0};
		r.variant = variant, r.anyBits = variant % 7 < 4;
		Timed t = race(single(r, (int)(variant / 8 % 4)), 1ull << log2, 3);
		found.push_back({r, t, ours.path});
	}
	std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.ratio() < b.ratio(); });
	size_t slower = 0;
	while (slower < found.size() && found[slower].ratio() < 1) slower++;
	printf("%llu generated distributions of 2^%u rows, %d wrong, %zu of them slower than CUB; the slowest\n",
	       (unsigned long long)variant, log2, wrong, slower);
	for (size_t i = 0; i < found.size() && i < shown; i++) {
		const Found& f = found[i];
		printf("variant %-6llu %s %2u %% null %8.2f x  %.4f ms, %.4f ms, %u bits, %s%s\n",
		       (unsigned long long)f.recipe.variant, typeNames[f.recipe.type], f.recipe.nullsPercent, f.ratio(),
		       f.timed.ours, f.timed.theirs, f.timed.bits, f.path, f.timed.right ? "" : " WRONG");
	}
	for (size_t i = 0; i < found.size() && i < 3; i++) {
		const std::string name = "variant " + std::to_string(found[i].recipe.variant);
		Job j = single(found[i].recipe, (int)(found[i].recipe.variant / 8 % 4));
		j.name = name.c_str();
		phases(j, 1ull << log2);
	}
}
