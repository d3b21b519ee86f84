//go:build cuda && cub && linux && amd64

package cub

import (
	"fmt"
	"slices"
	"time"
)

// An Engine is the engine that is compared with CUB. One goroutine calls its methods, in a thread in which the context
// of the device is current. What they return on the device is valid until Release.
type Engine interface {
	Stream() Stream // of all of its work
	// Sort sorts columns on the device by up to three keys, and returns the row numbers of the order, of 4 bytes: limit
	// rows, or all for 0.
	Sort(keys []Key, rows, limit int) Ptr
	// SortValues returns the sorted values of a column of integers without nulls, on the device.
	SortValues(key Key, rows int) Ptr
	Report() Report // about the last Sort
	// Encode returns the codes of rows, 8 bytes each, by two keys.
	Encode(keys []Key, rows int) Ptr
	// Gather gathers a column of 8 bytes by the row numbers of the last Sort, a number of times. With windows these are
	// scattered to windows before.
	Gather(values, gathered Ptr, times int, windows bool)
	// Release frees the memory of the last Sort or Encode for the next.
	Release()
	// Spoil overwrites free memory, so that nothing in it can be taken for a result. Trim returns it to the device.
	Spoil()
	Trim()
	Thresholds() Thresholds
	SetThresholds(Thresholds)
	// OnLaunch has a function called after each launch of a kernel.
	OnLaunch(launched func(kernel string))
}

// Thresholds are numbers of rows at which a sort takes another path: the most of a single launch, the least for which
// several keys are read as one column, by their types or by ranges of their values, the least of a select.
type Thresholds struct{ SmallSortRows, KeysRows, RangesRows, SelectRows int }

// A Report is how keys were sorted.
type Report struct {
	Path       string // which way, or why another was declined
	Bits       int    // of the codes
	Selected   bool   // only the candidates of a select were sorted
	Candidates int
}

// A bench compares sorts of up to a number of rows.
type bench struct {
	Engine
	stream               Stream
	most                 int
	values               [3]Ptr // of keys
	validity, seen       Ptr
	from, until          event
	wrong, cases, inFull int
}

func newBench(e Engine, most int) *bench {
	e.Trim()
	return &bench{
		Engine: e, stream: e.Stream(), most: most, values: [3]Ptr{alloc(8 * most), alloc(8 * most), alloc(8 * most)},
		validity: alloc(most/8 + 24), seen: alloc(most/8 + 8), from: newEvent(), until: newEvent(),
	}
}

func (b *bench) free() {
	b.Release()
	free(b.values[:]...)
	free(b.validity, b.seen)
	b.from.free()
	b.until.free()
}

// withThresholds does work with other thresholds.
func (b *bench) withThresholds(change func(*Thresholds), work func()) {
	usual := b.Thresholds()
	changed := usual
	change(&changed)
	b.SetThresholds(changed)
	work()
	b.SetThresholds(usual)
}

// make makes the columns of a job.
func (b *bench) make(j job, n int, seed uint64) []Key {
	keys := make([]Key, len(j.keys))
	for i, r := range j.keys {
		b.stream.makeValues(r, b.values[i], n, seed+uint64(i))
		keys[i] = Key{Type: r.Type, Values: b.values[i], Descending: j.mode&1 != 0, NullsAtStart: j.mode&2 != 0}
		if r.nullsPercent > 0 {
			b.stream.makeValidity(b.validity, n+64, seed, r.nullsPercent)
			keys[i].Validity, keys[i].Bit = b.validity, int(seed%64)
		}
	}
	return keys
}

// holds counts a result, and reports whether it is right.
func (b *bench) holds(f faults, what string, n int) bool {
	if f == (faults{}) {
		return true
	}
	b.wrong++
	fmt.Printf("WRONG %s n %d: outside %d, twice %d, order %d, before the last %+d\n", what, n, f.outside, f.twice,
		f.order, f.before)
	return false
}

// warmUp sorts until the clocks of the device have risen: the first sorts of a process are up to twice as slow.
func (b *bench) warmUp() {
	n := min(b.most, 1<<24)
	keys := b.make(single(recipe{Type: U32}, 0), n, 42)
	for begin := time.Now(); time.Since(begin) < time.Second; {
		b.timeSort(9, func() Ptr { return b.Sort(keys, n, 0) })
	}
	b.Release()
}

// median is the median time of a number of runs in ms, after two to warm up.
func (b *bench) median(runs int, before, work func()) float64 {
	times := make([]float64, 0, runs)
	for i := -2; i < runs; i++ {
		before()
		b.stream.record(b.from)
		work()
		b.stream.record(b.until)
		if ms := b.until.since(b.from); i >= 0 {
			times = append(times, ms)
		}
	}
	slices.Sort(times)
	return times[runs/2]
}

// timeSort is the median time of a sort, and the row numbers of one more, which finds nothing of the others in memory.
func (b *bench) timeSort(runs int, sort func() Ptr) (ms float64, rows Ptr) {
	ms = b.median(runs, b.Release, func() { sort() })
	b.Release()
	b.Spoil()
	return ms, sort()
}

// A timed is the times of one job in ms.
type timed struct {
	Report
	ours, theirs float64 // theirs: by the fastest version of CUB
	right        bool
}

func (t timed) ratio() float64 { return t.theirs / t.ours }

// mark is what follows a line of which the result is wrong.
func mark(right bool) string {
	if right {
		return ""
	}
	return " WRONG"
}

// race times a job and CUB on the same keys: several of them encoded, or by one sort and one gather for each.
func (b *bench) race(j job, n int) timed {
	if n >= 1<<27 {
		return b.raceRuns(j, n, 5)
	}
	return b.raceRuns(j, n, 15)
}

func (b *bench) raceRuns(j job, n, runs int) (t timed) {
	if j.alone {
		return b.raceValues(j, n, runs)
	}
	keys := b.make(j, n, 42)
	var rows Ptr
	t.ours, rows = b.timeSort(runs, func() Ptr { return b.Sort(keys, n, 0) })
	t.Report = b.Report()
	t.right = b.holds(b.stream.proveRows(keys, rows, n, b.seen), "timed", n)
	b.Release()
	first, others := keys[len(keys)-1], keys[:len(keys)-1]
	codes, bytes := first.Values, first.Bytes()
	if !j.byKey && len(others) > 0 {
		codes, bytes, others = b.Encode(keys, n), 8, nil
	}
	t.theirs = b.timeTheirs(codes, bytes, n, runs, func(cub theirs) {
		cub.sort(b.stream)
		for _, k := range slices.Backward(others) {
			cub.sortNext(k, b.stream)
		}
	})
	b.Release()
	return t
}

// raceValues does the same for keys only.
func (b *bench) raceValues(j job, n, runs int) (t timed) {
	key := b.make(j, n, 42)[0]
	var values Ptr
	t.ours, values = b.timeSort(runs, func() Ptr { return b.SortValues(key, n) })
	t.Report = b.Report()
	t.right = b.holds(b.stream.proveValues(key, values, n), "timed, keys only", n)
	b.Release()
	t.theirs = b.timeTheirs(key.Values, key.Bytes(), n, runs, func(cub theirs) { cub.sortKeys(b.stream) })
	return t
}

// timeTheirs is the median time of CUB's fastest version.
func (b *bench) timeTheirs(codes Ptr, bytes, n, runs int, sort func(theirs)) (least float64) {
	for version := range cubVersions() {
		cub := newTheirs(version, bytes, n)
		ms := b.median(runs, func() { cub.load(codes, b.stream) }, func() { sort(cub) })
		cub.free()
		if version == 0 || ms < least {
			least = ms
		}
	}
	return least
}

// time prints the times of one distribution.
func (b *bench) time(r recipe, n int) {
	t := b.race(single(r, 0), n)
	fmt.Printf("%-4s %10d %-24s %2d bits %-7s ours %8.4f ms  CUB %8.4f ms  x %.2f%s\n", r.Type, n, r.distribution,
		t.Bits, t.Path, t.ours, t.theirs, t.ratio(), mark(t.right))
}

// phases prints when each kernel of a sort ends, after the one before it.
func (b *bench) phases(j job, n int) {
	keys := b.make(j, n, 42)
	sort := func() { b.Sort(keys, n, 0) }
	if j.alone {
		sort = func() { b.SortValues(keys[0], n) }
	}
	sort()
	b.Release()
	names, ends := []string{""}, []event{b.stream.now()}
	b.OnLaunch(func(kernel string) { names, ends = append(names, kernel), append(ends, b.stream.now()) })
	sort()
	b.OnLaunch(nil)
	what := j.name
	if what == "" {
		what = j.keys[0].distribution.String()
	}
	fmt.Printf("%s %d rows, %s:", j.keys[0].Type, n, what)
	for i := range names[1:] {
		fmt.Printf("  %s %.4f", names[i+1], ends[i+1].since(ends[i]))
	}
	fmt.Println()
	for _, e := range ends {
		e.free()
	}
	b.Release()
}
