package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"
)

// Dictionaries are dictionaries and what they were converted to. The zero value has none.
type Dictionaries struct {
	used, before map[v15.ArrayData]arrow.ArrayData // since the last call of Forget, and before it
	lent         *Loans                            // whose buffers come back; nil: none
}

// of is the converted dictionary, which the caller releases.
func (dicts *Dictionaries) of(d v15.ArrayData, typ arrow.DataType) arrow.ArrayData {
	if dicts.used == nil {
		dicts.used = map[v15.ArrayData]arrow.ArrayData{}
	}
	converted, ok := dicts.used[d]
	if !ok {
		if converted, ok = dicts.before[d]; ok {
			delete(dicts.before, d)
		} else {
			converted = dicts.toData(d, typ)
			d.Retain() // so that no other takes its place
		}
		dicts.used[d] = converted
	}
	converted.Retain()
	return converted
}

// Forget releases the dictionaries that were not used since its last call.
func (dicts *Dictionaries) Forget() {
	for from, to := range dicts.before {
		from.Release()
		to.Release()
	}
	dicts.used, dicts.before = nil, dicts.used
}

// Release releases all dictionaries.
func (dicts *Dictionaries) Release() {
	dicts.Forget()
	dicts.Forget()
}
