// Proves and times the kernels against CUB in one process.
//
//   cub [image FILE] prove LOG2       every type, distribution, order and size up to 2^LOG2 rows: 0 wrong rows
//   cub [image FILE] table LOG2...    the jobs that speeds are asked for, at 2^LOG2 rows: 28, 24, 20, 16
//   cub [image FILE] time LOG2...     medians of all distributions for 2^LOG2 rows
//   cub [image FILE] limits LOG2...   the first rows of 2^LOG2 by selects, and sorts of all
//   cub [image FILE] phases LOG2...   when each kernel ends, for two distributions, several keys, and nulls
//   cub [image FILE] search LOG2 SECONDS   generated distributions of 2^LOG2 rows, and which are the slowest
//
// With an image it runs the kernels of that file, else those that it was compiled with.
#include "../../kernels/arrowsort.cu"
#include "search.h"
#include "table.h"

// Each size in memory of that size, as the engine and CUB have it: the same kernels take 3 % longer in buffers for
// sixteen times the rows.
int table(Device& d, const std::vector<u32>& sizes) {
	printf("%-48s %-6s %10s %12s        %s\n", "job", "rows", "asked", "measured", "ours, CUB");
	int wrong = 0;
	for (u32 log2 : sizes) {
		Bench b(d, 1ull << log2);
		b.table(log2);
		if (log2 == sizes.back()) b.small_sorts_row();
		wrong += b.wrong;
	}
	return wrong != 0;
}

int main(int count, char** arguments) {
	Device d;
	std::vector<std::string> words(arguments + 1, arguments + count);
	if (words.size() > 2 && words[0] == "image") {
		d.load(words[1].c_str());
		words.erase(words.begin(), words.begin() + 2);
	}
	if (words.size() < 2 || (words[0] == "search" && words.size() != 3))
		return fprintf(
		           stderr,
		           "usage: cub [image FILE] prove LOG2 | table LOG2... | limits LOG2... | "
		               "time LOG2... | phases LOG2... | search LOG2 SECONDS\n"),
		       2;
	std::string command = words[0];
	std::vector<u32> sizes;
	for (size_t i = 1; i < words.size(); i++) sizes.push_back((u32)std::stoul(words[i]));
	if (command == "table") return table(d, sizes);
	if (command == "search") {
		Bench b(d, 1ull << sizes[0]);
		return b.search(sizes[0], sizes[1]), b.wrong != 0;
	}
	Bench b(d, 1ull << *std::max_element(sizes.begin(), sizes.end()));
	if (command == "prove") b.prove();
	if (command == "limits") b.prove_limits(), b.limit_rows(sizes, {-1, -100, -10000, 100, 10, 4, 2});
	for (u32 log2 : sizes) {
		u64 n = 1ull << log2;
		if (command == "phases") {
			for (int distribution : {UNIFORM, FIVE_VALUES})
				for (Type t : {U32, F32, I64, F64}) b.phases(b.single({t, distribution}, 0), n);
			for (Type t : {U32, I64}) b.phases(b.single({t, VALUES20}, 0), n);
			for (Type t : {F32, F64}) b.phases(b.single({t, NORMAL}, 0), n);
			for (const Job& j : table_jobs())
				if (j.count > 1 || (j.key[0].nullsPercent && !j.mode)) b.phases(j, n);
		}
		if (command == "time")
			for (int distribution = 0; distribution < distributions; distribution++)
				b.time({U32, distribution}, n), b.time({I64, distribution}, n);
	}
	return b.wrong != 0;
}
