// How rows travel between passes: the formats of records, their stage in shared memory, and how a record is written to its
// place in the output.
#pragma once
#include "device.h"

// A Binning says where a pass reads and writes.
struct Binning {
	const Field* field; // a column
	const u64* in;      // packed records or codes
	const u32* inRows;  // rows of wide records
	u64* out;           // packed records or codes
	u32* outRows;       // rows, of wide records or the result
	u64 rowBits;        // of packed records
	u64 drop;           // low bits of the code that narrow leaves out
};

// Where DigitPlaces find the shift of the digit: in a code, or in a code above a row number.
enum { CODE_SHIFT = 1, RECORD_SHIFT = 2 };

// Packed records: code << rowBits | row.
struct Packed {
	static const int bytes = 8;
	struct One {
		u64 record;
		DEVICE u64 digits() const { return record; }
	};
	struct Stage { // in shared memory
		static const int place = RECORD_SHIFT;
		u64* record;
		DEVICE Stage(u8* memory, u32) : record((u64*)memory) {}
		template <class Reader> DEVICE void put(u32 at, const Reader& r, int i) const { record[at] = r.record(i); }
		DEVICE One get(u32 at) const { return {record[at]}; }
	};
};

// Short records: packed ones with 32 bits for the row, so that code and row are words of their own and nothing has to be shifted.
struct Short : Packed {
	struct One {
		u64 record;
		DEVICE u32 digits() const { return (u32)(record >> 32); }
	};
	struct Stage {
		static const int place = CODE_SHIFT;
		u64* record;
		DEVICE Stage(u8* memory, u32) : record((u64*)memory) {}
		template <class Reader> DEVICE void put(u32 at, const Reader& r, int i) const { record[at] = r.record(i); }
		DEVICE One get(u32 at) const { return {record[at]}; }
	};
};

// Wide records: codes of up to 64 bits and rows, one array each.
struct Wide {
	static const int bytes = 12;
	struct One {
		u64 code;
		u32 row;
		DEVICE u64 digits() const { return code; }
	};
	struct Stage {
		static const int place = CODE_SHIFT;
		u64* code;
		u32* row;
		DEVICE Stage(u8* memory, u32 rows) : code((u64*)memory), row((u32*)(memory + 8 * rows)) {}
		template <class Reader> DEVICE void put(u32 at, const Reader& r, int i) const {
			code[at] = r.digits(i);
			row[at] = r.row(i);
		}
		DEVICE One get(u32 at) const { return {code[at], row[at]}; }
	};
};

// Writers: a record goes to its place in the output.
struct ToRecords {
	u64* out;
	u32* outRows;
	DEVICE explicit ToRecords(const Binning& b) : out(in_register(b.out)), outRows(in_register(b.outRows)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = r.record; }
	DEVICE void put(u32 place, const Short::One& r) const { out[place] = r.record; }
	DEVICE void put(u32 place, const Wide::One& r) const {
		out[place] = r.code;
		outRows[place] = r.row;
	}
};

// The code's sorted bits go, and what is left fits beside the row.
struct ToPacked {
	u64* out;
	u32 drop, rowBits;
	DEVICE explicit ToPacked(const Binning& b) : out(in_register(b.out)), drop((u32)b.drop), rowBits((u32)b.rowBits) {}
	DEVICE void put(u32 place, const Wide::One& r) const { out[place] = (r.code >> drop) << rowBits | r.row; }
};

struct ToRows {
	u32* out;
	u32 rowMask;
	DEVICE explicit ToRows(const Binning& b) : out(in_register(b.outRows)), rowMask((u32)((1ull << b.rowBits) - 1)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = (u32)r.record & rowMask; }
	DEVICE void put(u32 place, const Short::One& r) const { out[place] = (u32)r.record; }
	DEVICE void put(u32 place, const Wide::One& r) const { out[place] = r.row; }
};
