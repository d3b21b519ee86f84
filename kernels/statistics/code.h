// The code word of a row, from its fields.
#pragma once
#include "common/number.h"
#include "statistics/decimal.h"

// The number of a row of a field of any form.
DEVICE u64 any_number(const Field* f, u64 row) {
	if (f->form == FORM_NONE) return f->null;
	if (f->form != FORM_CLASS && f->form != FORM_DECIMAL) return field_number(f, row);
	if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) return f->null;
	return f->form == FORM_CLASS ? f->bias : decimal_number(f, row);
}

DEVICE u64 code_word(const Field* fields, u64 count, u64 row) {
	u64 code = 0;
	for (u64 k = 0; k < count; k++) {
		const Field* f = fields + k;
		code += (any_number(f, row) >> f->down & f->mask) << f->up;
	}
	return code;
}
