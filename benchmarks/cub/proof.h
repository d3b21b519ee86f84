// The proof that row numbers are the stable order: they are a permutation, and every row stands right to its neighbour.
#pragma once
#include "columns.h"

struct Faults {
	unsigned long long outside, twice, order;
};

__global__ void prove_rows(Keys o, const u32* rows, u64 n, u32* seen, Faults* f) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		u32 row = rows[i];
		if (row >= n) {
			atomicAdd(&f->outside, 1ull);
			continue;
		}
		if (atomicOr(seen + row / 32, 1u << (row % 32)) >> (row % 32) & 1) atomicAdd(&f->twice, 1ull);
		if (i == 0 || rows[i - 1] >= n) continue;
		int c = compare_rows(o, rows[i - 1], row);
		if (c > 0 || (c == 0 && rows[i - 1] >= row)) atomicAdd(&f->order, 1ull);
	}
}

__global__ void prove_gathered(const u64* values, const u32* rows, u64 n, const u64* gathered, Faults* f) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
		if (gathered[i] != values[rows[i]]) atomicAdd(&f->order, 1ull);
}

// Whether the first k row numbers are the leading rows: they are in order, and as many of all rows sort before the last
// of them as precede it.
__global__ void prove_first(Keys o, const u32* rows, u64 n, u64 k, unsigned long long* inFront, Faults* f) {
	unsigned long long mine = 0;
	u32 last = rows[k - 1];
	if (last >= n) return;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		int c = compare_rows(o, (u32)i, last);
		mine += c < 0 || (c == 0 && i < last);
		if (i >= k) continue;
		if (rows[i] >= n || (i > 0 && rows[i - 1] >= n)) {
			atomicAdd(&f->outside, 1ull);
		} else if (i > 0) {
			c = compare_rows(o, rows[i - 1], rows[i]);
			if (c > 0 || (c == 0 && rows[i - 1] >= rows[i])) atomicAdd(&f->order, 1ull);
		}
	}
	if (mine) atomicAdd(inFront, mine);
}

struct Proof {
	Device& d;
	u32* seen;
	Faults* faults;

	Proof(Device& d, u64 n) : d(d), seen((u32*)d.allocate(n / 8 + 8)), faults((Faults*)d.allocate(sizeof(Faults))) {}

	bool holds(const Keys& o, const u32* rows, u64 n, const char* what) {
		d.zero(seen, n / 8 + 8);
		d.zero(faults, sizeof(Faults));
		prove_rows<<<4096, 256, 0, d.stream>>>(o, rows, n, seen, faults);
		return none(n, what);
	}
	bool first(const Keys& o, const u32* rows, u64 n, u64 k, const char* what) {
		d.zero(seen, 8);
		d.zero(faults, sizeof(Faults));
		prove_first<<<4096, 256, 0, d.stream>>>(o, rows, n, k, (unsigned long long*)seen, faults);
		u64 inFront;
		d.down(&inFront, seen, 8);
		if (inFront + 1 != k)
			return printf("WRONG %s n %llu: %llu rows are in front of the last of %llu\n", what, (unsigned long long)n,
			              (unsigned long long)inFront, (unsigned long long)k),
			       false;
		return none(n, what);
	}
	bool gathered(const u64* values, const u32* rows, u64 n, const u64* gathered, const char* what) {
		d.zero(faults, sizeof(Faults));
		prove_gathered<<<4096, 256, 0, d.stream>>>(values, rows, n, gathered, faults);
		return none(n, what);
	}
	bool none(u64 n, const char* what) {
		Faults f;
		d.down(&f, faults, sizeof f);
		if (!f.outside && !f.twice && !f.order) return true;
		printf("WRONG %s n %llu: outside %llu, twice %llu, order %llu\n", what, (unsigned long long)n, f.outside,
		       f.twice, f.order);
		return false;
	}
};
