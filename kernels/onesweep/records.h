// The formats of records between passes, their stage in shared memory, and how a record is written to its place in the
// output.
#pragma once
#include "common/device.h"

// A Binning is what a pass reads and writes.
struct Binning {
	const Field* field; // a column
	const u64* in;      // packed records or codes
	const u32* inRows;  // rows of wide records
	u64* out;           // packed records or codes
	u32* outRows;       // rows, of wide records or the result
	u64 rowBits;        // of the records read, below the code in their word
	u64 parts;          // of wide records, a Parts
};

// How the rows of wide records are divided: low bits are below the code in its word, high bits in a separate array.
struct Parts {
	u32 restIn;  // bytes of the rest that is read
	u32 lift;    // bits by which the code is shifted up first
	u32 to;      // bits below the code that is written: the sorted digits give theirs to the row
	u32 restOut; // bytes of the rest that is written: 0, 1, 2 or 4

	DEVICE explicit Parts(u64 parts)
	    : restIn((u32)parts & 255), lift((u32)(parts >> 8) & 255), to((u32)(parts >> 16) & 255),
	      restOut((u32)(parts >> 24) & 255) {}
};

// The words of control that hold the shift of the digit: in a code, or in a code above a row number.
enum { CODE_SHIFT = 1, RECORD_SHIFT = 2 };

// The stage of records that are one word, in shared memory.
template <class Word, class One, int shift> struct WordStage {
	static const int place = shift;
	Word* record;
	DEVICE WordStage(u8* memory, u32) : record((Word*)memory) {}
	template <class Reader> DEVICE void put(u32 at, const Reader& r, int i) const { record[at] = r.record(i); }
	DEVICE One get(u32 at) const { return {record[at]}; }
};

// Packed records: code << rowBits | row.
struct Packed {
	static const int bytes = 8;
	struct One {
		u64 record;
		DEVICE u64 digits() const { return record; }
	};
	typedef WordStage<u64, One, RECORD_SHIFT> Stage;
};

// Short records: packed, with 32 bits for the row, so that code and row are separate words and nothing is shifted.
struct Short : Packed {
	struct One {
		u64 record;
		DEVICE u32 digits() const { return (u32)(record >> 32); }
	};
	typedef WordStage<u64, One, CODE_SHIFT> Stage;
};

// Wide records: a code above the low bits of its row in one word, and the high bits of the row.
struct Wide {
	static const int bytes = 12;
	struct One {
		u64 word;
		u32 rest;
		DEVICE u64 digits() const { return word; }
	};
	struct Stage {
		static const int place = RECORD_SHIFT;
		u64* word;
		u32* rest;
		DEVICE Stage(u8* memory, u32 rows) : word((u64*)memory), rest((u32*)(memory + 8 * rows)) {}
		template <class Reader> DEVICE void put(u32 at, const Reader& r, int i) const {
			word[at] = r.digits(i);
			rest[at] = r.rest(i);
		}
		DEVICE One get(u32 at) const { return {word[at], rest[at]}; }
	};
};

// Writers of records to their places in the output.
struct ToRecords {
	u64* out;
	DEVICE explicit ToRecords(const Binning& b) : out(in_register(b.out)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = r.record; }
	DEVICE void put(u32 place, const Short::One& r) const { out[place] = r.record; }
};

// The bits of sorted digits are given to the row, so that its separate high bits become fewer; when there are none, the
// records are packed.
struct ToWide {
	u64 *out, keep;
	u8* outRest;
	u32 from;
	Parts parts;
	DEVICE explicit ToWide(const Binning& b)
	    : out(in_register(b.out)), keep(~0ull << Parts(b.parts).to), outRest((u8*)in_register(b.outRows)),
	      from((u32)b.rowBits), parts(b.parts) {}
	DEVICE void put(u32 place, const Wide::One& r) const {
		u32 row = r.rest << from | ((u32)r.word & ~(~0u << from));
		out[place] = (r.word << parts.lift & keep) | (row & (u32)~keep);
		if (parts.restOut == 0) return;
		u32 rest = row >> parts.to;
		if (parts.restOut == 1) outRest[place] = (u8)rest;
		else if (parts.restOut == 2) ((u16*)outRest)[place] = (u16)rest;
		else ((u32*)outRest)[place] = rest;
	}
};

struct ToRows {
	u32* out;
	u32 rowBits, rowMask;
	DEVICE explicit ToRows(const Binning& b)
	    : out(in_register(b.outRows)), rowBits((u32)b.rowBits), rowMask((u32)((1ull << b.rowBits) - 1)) {}
	DEVICE void put(u32 place, const Packed::One& r) const { out[place] = (u32)r.record & rowMask; }
	DEVICE void put(u32 place, const Short::One& r) const { out[place] = (u32)r.record; }
	DEVICE void put(u32 place, const Wide::One& r) const { out[place] = r.rest << rowBits | ((u32)r.word & rowMask); }
};
