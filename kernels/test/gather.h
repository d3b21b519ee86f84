// The launches of a gather in windows, as package gpu makes them.
#pragma once
#include "argsort.h"

const u32 windowTable = 2 * (GATHER_WINDOWS + 32) * 4;
const u32 dealBytes = SCATTER_TILE * 4 + windowTable + SCATTER_THREADS / 32 * 4;

// A WindowGather has the row numbers of a result scattered to windows, for any number of columns.
struct WindowGather {
	Device& d;
	u64 n, tiles;
	u32 *scattered, *offsets, *cursors;
	u16* places;

	WindowGather(Device& d, u64 n)
	    : d(d), n(n), tiles(ceil_div(n, SCATTER_TILE)), scattered((u32*)d.allocate(n * 4)),
	      offsets((u32*)d.allocate(tiles * 2 * GATHER_WINDOWS * 4)), cursors((u32*)d.allocate(GATHER_WINDOWS * 4)),
	      places((u16*)d.allocate(n * 2)) {}

	// windowBits: of the rows of a window, at least.
	void scatter(const u32* rows, u64 windowBits) {
		u64 bits = bits_of(n - 1), shift = std::max<u64>(bits > 8 ? bits - 8 : 0, std::min<u64>(windowBits, 31));
		d.zero(cursors, GATHER_WINDOWS * 4);
		d.run(scatter_rows, tiles, SCATTER_THREADS, dealBytes, rows, n, shift, scattered, places, offsets, cursors);
	}
	void gather(const u64* values, u64* between, u64* dst) {
		d.run(gather_window_8, ceil_div(n, GATHER_TILE), STREAM_THREADS, 0, values, scattered, n, between);
		d.run(collect_8, tiles, COLLECT_THREADS, SCATTER_TILE * 8 + windowTable, between, n, places, offsets, dst);
	}
	void gather(const u32* values, u32* between, u32* dst) {
		d.run(gather_window_4, ceil_div(n, GATHER_TILE), STREAM_THREADS, 0, values, scattered, n, between);
		d.run(collect_4, tiles, COLLECT_THREADS, SCATTER_TILE * 4 + windowTable, between, n, places, offsets, dst);
	}
	void release() {
		for (void* p : {(void*)scattered, (void*)offsets, (void*)cursors, (void*)places}) d.release(p);
	}
};
