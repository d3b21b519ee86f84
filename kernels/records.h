// What a pass of digit binning reads, moves and writes. Item i of a lane is the row first + 32 * i + lane, so that a warp reads
// whole lines and ranks rows in their order.
#pragma once
#include "column.h"

// A Place says where the rows of a warp lie.
struct Place {
	u64 first, end; // the warp's first row, and the end of the rows of this pass
};

// Packed records: code << rowBits | row.
struct Packed {
	static const int items = BINNING_ITEMS, bytes = 8;
	struct Registers {
		u64 code[items];
	};
	struct One {
		u64 code;
	};
	struct Stage { // in shared memory
		u64* record;
		DEVICE explicit Stage(u8* memory) : record((u64*)memory) {}
		DEVICE void put(u32 at, const Registers& r, int i) const { record[at] = r.code[i]; }
		DEVICE One get(u32 at) const { return {record[at]}; }
	};
};

// Wide records: codes of up to 64 bits and rows, one array each.
struct Wide {
	static const int items = BINNING_ITEMS_WIDE, bytes = 12;
	struct Registers {
		u64 code[items];
		u32 row[items];
	};
	struct One {
		u64 code;
		u32 row;
	};
	struct Stage {
		u64* code;
		u32* row;
		DEVICE explicit Stage(u8* memory) : code((u64*)memory), row((u32*)(memory + 8 * items * BINNING_THREADS)) {}
		DEVICE void put(u32 at, const Registers& r, int i) const {
			code[at] = r.code[i];
			row[at] = r.row[i];
		}
		DEVICE One get(u32 at) const { return {code[at], row[at]}; }
	};
};

// Readers. Rows behind the end get the greatest digit: they are ranked behind all rows and never written.
struct FromColumn {
	DEVICE static void load(Packed::Registers& r, const Binning& b, const Place& p) {
		Column32 column = {(const Field*)b.field, p.end};
		column.codes(r.code, p.first);
		u32 row = (u32)p.first + lane_index(), rowBits = (u32)b.rowBits;
		int left = (int)(p.first + 32 * Packed::items <= p.end ? 32 * Packed::items : p.end > p.first ? p.end - p.first : 0) - (int)lane_index();
		UNROLL for (int i = 0; i < Packed::items; i++) {
			r.code[i] = 32 * i < left ? r.code[i] << rowBits | (row + 32 * i) : ~0ull;
		}
	}
	DEVICE static void load(Wide::Registers& r, const Binning& b, const Place& p) {
		Column32 column = {(const Field*)b.field, p.end};
		column.codes(r.code, p.first);
		UNROLL for (int i = 0; i < Wide::items; i++) {
			u64 row = p.first + 32 * i + lane_index();
			if (row >= p.end) r.code[i] = ~0ull;
			r.row[i] = (u32)row;
		}
	}
};

struct FromRecords {
	DEVICE static void load(Packed::Registers& r, const Binning& b, const Place& p) {
		const u64* in = (const u64*)b.in + p.first + lane_index();
		bool whole = p.first + 32 * Packed::items <= p.end;
		UNROLL for (int i = 0; i < Packed::items; i++) {
			r.code[i] = ~0ull;
			if (whole || p.first + 32 * i + lane_index() < p.end) r.code[i] = ::load(in + 32 * i);
		}
	}
	DEVICE static void load(Wide::Registers& r, const Binning& b, const Place& p) {
		const u64* in = (const u64*)b.in + p.first + lane_index();
		const u32* rows = (const u32*)b.inRows + p.first + lane_index();
		bool whole = p.first + 32 * Wide::items <= p.end;
		UNROLL for (int i = 0; i < Wide::items; i++) {
			r.code[i] = ~0ull;
			r.row[i] = 0;
			if (whole || p.first + 32 * i + lane_index() < p.end) {
				r.code[i] = ::load(in + 32 * i);
				r.row[i] = ::load(rows + 32 * i);
			}
		}
	}
};

// Writers: a record goes to its place in the output.
struct ToRecords {
	u64* out;
	u32* outRows;
	DEVICE explicit ToRecords(const Binning& b) : out(in_register((u64*)b.out)), outRows(in_register((u32*)b.outRows)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = r.code; }
	DEVICE void put(u32 place, const Wide::One& r) const {
		out[place] = r.code;
		outRows[place] = r.row;
	}
};

// The code's sorted bits go, and what is left fits beside the row.
struct ToPacked {
	u64* out;
	u32 drop, rowBits;
	DEVICE explicit ToPacked(const Binning& b) : out(in_register((u64*)b.out)), drop((u32)b.drop), rowBits((u32)b.rowBits) {}
	DEVICE void put(u32 place, const Wide::One& r) const { out[place] = (r.code >> drop) << rowBits | r.row; }
};

struct ToRows {
	u32* out;
	u32 rowMask;
	DEVICE explicit ToRows(const Binning& b) : out(in_register((u32*)b.outRows)), rowMask((u32)((1ull << b.rowBits) - 1)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = (u32)r.code & rowMask; }
	DEVICE void put(u32 place, const Wide::One& r) const { out[place] = r.row; }
};
