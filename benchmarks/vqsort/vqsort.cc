// Sorts 10M random numbers of each type by Highway's vqsort on one thread, and prints the median of 7 runs in ms: the
// same jobs as BenchmarkKeysOnly. It needs libhwy-dev 1.0.3 or newer:
//
//   g++ -O3 -march=native -o build/vqsort benchmarks/vqsort/vqsort.cc -lhwy_contrib -lhwy && build/vqsort
#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <type_traits>
#include <vector>

template <class T> void sort_numbers(const char* type) {
	const size_t rows = 10'000'000, runs = 7;
	std::mt19937_64 random(1);
	std::normal_distribution<double> normal;
	std::vector<T> numbers(rows), sorted(rows);
	for (T& x : numbers) {
		if constexpr (std::is_floating_point_v<T>) x = (T)normal(random);
		else x = (T)random();
	}
	hwy::Sorter sorter;
	double ms[runs];
	for (double& took : ms) {
		sorted = numbers;
		const auto start = std::chrono::steady_clock::now();
		sorter(sorted.data(), rows, hwy::SortAscending());
		took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
	}
	std::sort(ms, ms + runs);
	const bool right = std::is_sorted(sorted.begin(), sorted.end());
	std::printf("%-8s %8.1f ms%s\n", type, ms[runs / 2], right ? "" : " WRONG");
}

int main() {
	sort_numbers<int64_t>("int64");
	sort_numbers<int32_t>("int32");
	sort_numbers<double>("float64");
	sort_numbers<int16_t>("int16");
}
