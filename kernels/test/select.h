// The launches of a select of the first rows, as package gpu makes them.
#pragma once
#include "argsort.h"
#include <cmath>

// The sampled rows and the capacity of a select: the twin of gpu/select.go.
struct SelectShape {
	u64 hits, capacity;

	SelectShape(u64 n, u64 k) {
		double sample = (double)std::min<u64>(n, SELECT_SAMPLE), mean = sample * k / n,
		       up = std::ceil(mean + 5 * std::sqrt(mean + 1));
		hits = (u64)std::min(up, sample);
		capacity = std::min<u64>(n, (u64)std::ceil((up + up / 16 + 6 * std::sqrt(up) + 8) * n / sample));
	}
};

// The memory of selects of up to n rows, with the given capacity for candidates.
struct SelectTemp {
	u64 *sample, *status, *codes;
	u32 *rows, *tied;
	Selection* selection;
	Selected* selected;
	u64 statusBytes;

	SelectTemp(Device& d, u64 n, u64 capacity, u64 k)
	    : sample((u64*)d.allocate(SELECT_SAMPLE * 8)), codes((u64*)d.allocate(capacity * 8)),
	      rows((u32*)d.allocate(capacity * 4)), tied((u32*)d.allocate(k * 4)),
	      selected((Selected*)d.allocate_pinned(sizeof(Selected))), statusBytes(ceil_div(n, SELECT_WIDE_TILE) * 8) {
		status = (u64*)d.allocate(statusBytes + sizeof(Selection));
		selection = (Selection*)(status + statusBytes / 8);
	}
	void release(Device& d) {
		for (void* p : {(void*)sample, (void*)status, (void*)codes, (void*)rows, (void*)tied}) d.release(p);
		d.release_pinned(selected);
	}
};

const u32 borderBytes = RADIX_BINS * 4 + 64, selectBytes = SELECT_THREADS / 32 * 4 + 64;

inline bool has_short_codes(const Field& f, u32 bits) { return f.width == 4 && bits <= 32; }

// Launches all; the counts are in t.selected when the device has noted it.
inline void select_first(Device& d, const SelectTemp& t, const Field& f, u32 bits, u64 n, u64 k, bool separateTies,
                         const SelectShape& shape) {
	Select s = {f,
	            bits,
	            n,
	            k,
	            shape.hits,
	            separateTies,
	            shape.capacity,
	            (u64)t.sample,
	            (u64)t.status,
	            (u64)t.selection,
	            (u64)t.codes,
	            (u64)t.rows,
	            (u64)t.tied,
	            (u64)t.selected};
	bool shortCodes = has_short_codes(f, bits);
	d.zero(t.status, t.statusBytes + sizeof(Selection));
	d.run(select_border, ceil_div(std::min<u64>(n, SELECT_SAMPLE), SELECT_BORDER_THREADS), SELECT_BORDER_THREADS,
	      borderBytes, s);
	d.early = true;
	d.run(shortCodes ? select_rows : select_rows_wide, ceil_div(n, shortCodes ? SELECT_TILE : SELECT_WIDE_TILE),
	      SELECT_THREADS, selectBytes, s);
	d.early = false;
	d.note();
}
