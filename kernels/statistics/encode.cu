#include "common/number.h"
#include "statistics/decimal.h"

DEVICE u64 any_number(const Field* f, u64 row) {
	if (f->form == FORM_NONE) return f->null;
	if (f->form != FORM_CLASS && f->form != FORM_DECIMAL) return field_number(f, row);
	if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) return f->null;
	return f->form == FORM_CLASS ? f->bias : decimal_number(f, row);
}

// encode encodes one code word of rows from its fields.
KERNEL(encode, STREAM_THREADS, 1)(const Field* fields, u64 count, u64 n, const u32* rows, u64* codes) {
	for_each(n, [&](u64 i) {
		u64 row = rows ? rows[i] : i, code = 0;
		for (u64 k = 0; k < count; k++) {
			const Field* f = fields + k;
			code += (any_number(f, row) >> f->down & f->mask) << f->up;
		}
		codes[i] = code;
	});
}
