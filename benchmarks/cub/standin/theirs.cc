// In place of CUB and of events, for a test of the program without a GPU: a stable sort on the host, and its clock.
#include "../device.h"
#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

struct Theirs {
	int width;
	std::vector<u64> keys;
	std::vector<u32> rows;
};

int theirs_versions() { return 1; }
int theirs_version(int) { return 0; }

Theirs* theirs_new(int, int width, u64 n) { return new Theirs{width, std::vector<u64>(n), std::vector<u32>(n)}; }

void theirs_load(Theirs* t, Address keys, Address stream) {
	synchronize(stream);
	for (size_t i = 0; i < t->keys.size(); i++) memcpy(&t->keys[i], (u8*)keys + i * t->width, t->width);
}

void theirs_sort(Theirs* t, Address) {
	std::iota(t->rows.begin(), t->rows.end(), 0);
	std::stable_sort(t->rows.begin(), t->rows.end(), [&](u32 a, u32 b) { return t->keys[a] < t->keys[b]; });
}

void theirs_sort_keys(Theirs* t, Address) { std::sort(t->keys.begin(), t->keys.end()); }
void theirs_sort_next(Theirs* t, int width, Address keys, Address stream) {
	t->width = width;
	std::fill(t->keys.begin(), t->keys.end(), 0);
	theirs_load(t, keys, stream);
	std::stable_sort(t->rows.begin(), t->rows.end(), [&](u32 a, u32 b) { return t->keys[a] < t->keys[b]; });
}

int theirs_has_topk(int) { return 0; }
void theirs_topk(Theirs*, u64, Address) {}

void theirs_free(Theirs* t) { delete t; }

typedef std::chrono::steady_clock Clock;

Address event_new() { return (Address) new Clock::time_point; }
void event_record(Address e, Address stream) {
	synchronize(stream);
	*(Clock::time_point*)e = Clock::now();
}
double event_ms(Address from, Address to) {
	return std::chrono::duration<double, std::milli>(*(Clock::time_point*)to - *(Clock::time_point*)from).count();
}
void event_free(Address e) { delete (Clock::time_point*)e; }
