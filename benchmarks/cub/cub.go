//go:build cuda && cub && linux && amd64

// Package cub compares the GPU engine with CUB: the same keys, on the same device, in one process. Results are proved
// on the device; times are those of the device's events.
//
// The tests of package gpu with the tag cub are the program: they implement Engine, and Compare runs a command.
package cub

/*
#cgo !standin LDFLAGS: -L${SRCDIR}/../../build/cub.objects -lcomparison -lcudart_static -lstdc++ -lrt -lpthread -ldl -lm
#cgo standin LDFLAGS: -L${SRCDIR}/../../build/cub-standin.objects -lcomparison -lstdc++ -lm
#include "api.h"
*/
import "C"

import "fmt"

// A Ptr is an address on the device.
type Ptr uint64

// A Stream is the driver's handle of a stream.
type Stream uint64

// Type is the type of a key.
type Type int

// The types of keys.
const (
	U32 Type = C.U32
	I32 Type = C.I32
	F32 Type = C.F32
	U64 Type = C.U64
	I64 Type = C.I64
	F64 Type = C.F64
	I16 Type = C.I16
)

const types = C.TYPES

func (t Type) String() string { return [...]string{"u32", "i32", "f32", "u64", "i64", "f64", "i16"}[t] }

// Bytes is the size of a key.
func (t Type) Bytes() int { return [...]int{4, 4, 4, 8, 8, 8, 2}[t] }

func (t Type) isFloat() bool { return t == F32 || t == F64 }

// A Key is a column on the device with the order that is wanted.
type Key struct {
	Type
	Values                   Ptr
	Validity                 Ptr // a bitmap; 0 for none
	Bit                      int // of row 0 in the bitmap
	Descending, NullsAtStart bool
}

// keysOf converts keys for C.
func keysOf(keys []Key) (o C.Keys) {
	o.count = C.int(len(keys))
	for i, k := range keys {
		o.key[i] = C.Key{
			_type: uint32(k.Type), values: C.Address(k.Values), validity: C.Address(k.Validity), bit: C.uint64_t(k.Bit),
			descending: flag(k.Descending), nullsAtStart: flag(k.NullsAtStart),
		}
	}
	return o
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// makeValues writes n values of a recipe.
func (s Stream) makeValues(r recipe, values Ptr, n int, seed uint64) {
	c := C.Recipe{
		_type: uint32(r.Type), distribution: C.int(r.distribution), nullsPercent: C.uint32_t(r.nullsPercent),
		nanPermille: C.uint32_t(r.nanPermille), zeroPermille: C.uint32_t(r.zeroPermille), anyBits: flag(r.anyBits),
		variant: C.uint64_t(r.variant),
	}
	C.make_values(c, C.Address(values), C.uint64_t(n), C.uint64_t(seed), C.Address(s))
}

// makeValidity writes n bits, of which some are zero.
func (s Stream) makeValidity(bitmap Ptr, n int, seed uint64, nullsPercent int) {
	C.make_validity(C.Address(bitmap), C.uint64_t(n), C.uint64_t(seed), C.uint32_t(nullsPercent), C.Address(s))
}

// faults are the wrong rows of a result.
type faults struct{ outside, twice, order, before int }

func faultsOf(f C.Faults) faults {
	return faults{int(f.outside), int(f.twice), int(f.order), int(f.before)}
}

// proveRows proves that row numbers are the stable order. seen has a bit for each row and 8 bytes more.
func (s Stream) proveRows(keys []Key, rows Ptr, n int, seen Ptr) faults {
	return faultsOf(C.prove_rows(keysOf(keys), C.Address(rows), C.uint64_t(n), C.Address(seen), C.Address(s)))
}

// proveFirst proves that the first k row numbers are the leading ones, before which k-1 rows sort.
func (s Stream) proveFirst(keys []Key, rows Ptr, n, k int) faults {
	f := faultsOf(C.prove_first(keysOf(keys), C.Address(rows), C.uint64_t(n), C.uint64_t(k), C.Address(s)))
	f.before -= k - 1
	return f
}

// proveValues proves the sorted values of a key.
func (s Stream) proveValues(key Key, sorted Ptr, n int) faults {
	return faultsOf(C.prove_values(keysOf([]Key{key}).key[0], C.Address(sorted), C.uint64_t(n), C.Address(s)))
}

// proveGathered proves a gathered column of 8 bytes.
func (s Stream) proveGathered(values, rows Ptr, n int, gathered Ptr) faults {
	return faultsOf(C.prove_gathered(C.Address(values), C.Address(rows), C.uint64_t(n), C.Address(gathered),
		C.Address(s)))
}

// Fill fills memory with a byte.
func (s Stream) Fill(p Ptr, value byte, bytes int) {
	C.memory_fill(C.Address(p), C.int(value), C.uint64_t(bytes), C.Address(s))
}

func alloc(bytes int) Ptr { return Ptr(C.memory_new(C.uint64_t(bytes))) }

func free(ps ...Ptr) {
	for _, p := range ps {
		C.memory_free(C.Address(p))
	}
}

// cubVersions are the versions of CUB that are compared, such as 3.5.0.
func cubVersions() (all []string) {
	for i := range int(C.theirs_versions()) {
		v := int(C.theirs_version(C.int(i)))
		all = append(all, fmt.Sprintf("%d.%d.%d", v/100_000, v/100%1000, v%100))
	}
	return all
}

// theirs is the sort of n keys by a version of CUB.
type theirs struct {
	c *C.Theirs
}

func newTheirs(version, keyBytes, n int) theirs {
	return theirs{C.theirs_new(C.int(version), C.int(keyBytes), C.uint64_t(n))}
}

func (t theirs) load(keys Ptr, s Stream) { C.theirs_load(t.c, C.Address(keys), C.Address(s)) }
func (t theirs) sort(s Stream)           { C.theirs_sort(t.c, C.Address(s)) }
func (t theirs) sortKeys(s Stream)       { C.theirs_sort_keys(t.c, C.Address(s)) }

// sortNext sorts the rows of the last sort by another key.
func (t theirs) sortNext(k Key, s Stream) {
	C.theirs_sort_next(t.c, C.int(k.Bytes()), C.Address(k.Values), C.Address(s))
}
func (t theirs) topK(k int, s Stream) { C.theirs_topk(t.c, C.uint64_t(k), C.Address(s)) }
func (t theirs) free()                { C.theirs_free(t.c) }

// hasTopK reports whether a version of CUB finds the rows of the least keys.
func hasTopK(version int) bool { return C.theirs_has_topk(C.int(version)) != 0 }

// An event is a point of a stream.
type event C.Address

func newEvent() event { return event(C.event_new()) }

// now is a new event after all that was launched before.
func (s Stream) now() event {
	e := newEvent()
	s.record(e)
	return e
}

func (s Stream) record(e event) { C.event_record(C.Address(e), C.Address(s)) }

// since is the time between two events in ms. It waits for the later one.
func (e event) since(earlier event) float64 {
	return float64(C.event_ms(C.Address(earlier), C.Address(e)))
}

func (e event) free() { C.event_free(C.Address(e)) }
