// The launches of a gather in windows, as package gpu makes them.
#pragma once
#include "argsort.h"

const u32 dealTable = 2 * (DEAL_WINDOWS + 32) * 4;
const u32 dealBytes = DEAL_TILE * 4 + dealTable + DEAL_THREADS / 32 * 4;

// A WindowGather has the row numbers of a result dealt to windows, for any number of columns.
struct WindowGather {
	Device& d;
	u64 n, tiles;
	u32 *dealt, *offsets, *cursors;
	u16* places;

	WindowGather(Device& d, u64 n)
	    : d(d), n(n), tiles(ceil_div(n, DEAL_TILE)), dealt((u32*)d.allocate(n * 4)), offsets((u32*)d.allocate(tiles * 2 * DEAL_WINDOWS * 4)),
	      cursors((u32*)d.allocate(DEAL_WINDOWS * 4)), places((u16*)d.allocate(n * 2)) {}

	// windowBits: of the rows of a window, at least.
	void deal(const u32* rows, u64 windowBits) {
		u64 bits = bits_of(n - 1), shift = std::max<u64>(bits > 8 ? bits - 8 : 0, std::min<u64>(windowBits, 31));
		d.zero(cursors, DEAL_WINDOWS * 4);
		d.run(deal_rows, tiles, DEAL_THREADS, dealBytes, rows, n, shift, dealt, places, offsets, cursors);
	}
	void gather(const u64* values, u64* between, u64* dst) {
		d.run(gather_near_8, ceil_div(n, GATHER_TILE), STREAM_THREADS, 0, values, dealt, n, between);
		d.run(collect_8, tiles, COLLECT_THREADS, DEAL_TILE * 8 + dealTable, between, n, places, offsets, dst);
	}
	void gather(const u32* values, u32* between, u32* dst) {
		d.run(gather_near_4, ceil_div(n, GATHER_TILE), STREAM_THREADS, 0, values, dealt, n, between);
		d.run(collect_4, tiles, COLLECT_THREADS, DEAL_TILE * 4 + dealTable, between, n, places, offsets, dst);
	}
	void release() {
		for (void* p : {(void*)dealt, (void*)offsets, (void*)cursors, (void*)places}) d.release(p);
	}
};
