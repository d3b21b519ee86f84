//go:build cub && cuda && linux && amd64

package gpu

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/benchmarks/cub"
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestMain makes the program of the tests the comparison with CUB where it is passed a command: cub table 28.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.NArg() == 0 {
		os.Exit(m.Run())
	}
	os.Exit(compareWithCUB(flag.Args()))
}

func compareWithCUB(words []string) int {
	if len(words) > 2 && words[0] == "image" {
		image, err := os.ReadFile(words[1])
		must(err)
		kernels.Image, words = image, words[2:]
	}
	e, err := Open(Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	s := <-e.turn
	leave, err := s.Enter()
	must(err)
	defer leave()
	d := &onDevice{session: s}
	d.OnLaunch(nil)
	return cub.Compare(d, words)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// onDevice sorts columns that lie on the device. It implements cub.Engine.
type onDevice struct {
	*session
	sorter   *sorter // of the last sort, until Release
	launches []string
}

func (d *onDevice) Stream() cub.Stream { return cub.Stream(d.streams[0].Handle()) }

// begin returns a sorter to which the keys are columns of a job that were uploaded.
func (d *onDevice) begin(keys []cub.Key, job *engine.Job) *sorter {
	kinds := map[cub.Type]keyencode.Kind{cub.U32: keyencode.Uint32, cub.I32: keyencode.Int32,
		cub.F32: keyencode.Float32, cub.U64: keyencode.Uint64, cub.I64: keyencode.Int64, cub.F64: keyencode.Float64,
		cub.I16: keyencode.Int16}
	for i, k := range keys {
		chunk, key := keyencode.Chunk{Rows: job.Rows}, keyencode.Key{Column: i}
		if k.Validity != 0 {
			chunk.Validity = []byte{}
		}
		if k.Descending {
			key.Order = keyencode.Descending
		}
		if k.NullsAtStart {
			key.Nulls = keyencode.NullsAtStart
		}
		job.Columns = append(job.Columns, keyencode.Column{Kind: kinds[k.Type], Chunks: []keyencode.Chunk{chunk}})
		job.Keys = append(job.Keys, key)
	}
	d.launches = d.launches[:0]
	d.sorter = newSorter(newTask(context.Background(), d.session, 0), job, goMemory{})
	for i, k := range keys {
		d.sorter.columns[i] = &column{values: driver.Ptr(k.Values), validity: driver.Ptr(k.Validity),
			bit: uint64(k.Bit)}
	}
	return d.sorter
}

func (d *onDevice) Sort(keys []cub.Key, rows, limit int) cub.Ptr {
	s := d.begin(keys, &engine.Job{Rows: rows, Limit: limit})
	must(s.argsort())
	return cub.Ptr(s.order)
}

func (d *onDevice) Encode(keys []cub.Key, rows int) cub.Ptr {
	s := d.begin(keys, &engine.Job{Rows: rows, Plan: true})
	must(s.measure())
	if s.plan.Words() != 1 {
		panic("the keys need two words")
	}
	codes := s.encode(0, 0, rows)
	must(s.Err)
	return cub.Ptr(codes)
}

func (d *onDevice) Gather(values, gathered cub.Ptr, times int, windows bool) {
	s, to := d.sorter, driver.Ptr(gathered)
	for range times {
		if !windows {
			s.launch("gather_8", s.blocks(s.out), uint64(values), uint64(s.order), uint64(s.out), uint64(to))
		} else if !s.gatherWindows(driver.Ptr(values), 8, to) {
			panic("no memory for windows")
		}
	}
	s.releaseWindows()
	must(s.Err)
}

func (d *onDevice) Release() {
	if d.sorter != nil {
		d.sorter.end()
		must(d.sorter.Err)
		d.sorter = nil
	}
}

func (d *onDevice) Spoil() {
	for size, blocks := range d.memory.Spare {
		for _, p := range blocks {
			d.Stream().Fill(cub.Ptr(p), 0xee, size)
		}
	}
}

func (d *onDevice) Trim() { must(d.memory.Trim()) }

func (d *onDevice) Thresholds() cub.Thresholds {
	return cub.Thresholds{SmallSortRows: d.tuning.SmallSortRows, KeysRows: d.tuning.KeysRows,
		SelectRows: d.tuning.SelectRows}
}

func (d *onDevice) SetThresholds(t cub.Thresholds) {
	d.tuning.SmallSortRows, d.tuning.KeysRows, d.tuning.SelectRows = t.SmallSortRows, t.KeysRows, t.SelectRows
}

func (d *onDevice) OnLaunch(launched func(kernel string)) {
	d.onLaunch = func(kernel string) {
		if d.launches = append(d.launches, kernel); launched != nil {
			launched(kernel)
		}
	}
}

func (d *onDevice) Report() cub.Report {
	s := d.sorter
	_, bits, ok := typeWord(s.job.Columns, s.job.Keys)
	switch {
	case s.plan != nil && s.plan.Words() > 0:
		bits = s.plan.WordBits(0)
	case s.plan != nil:
		bits = 0
	case !ok:
		bits = 64
	}
	r := cub.Report{Path: d.path(), Bits: bits}
	if r.Selected = slices.Contains(d.launches, "select_border") && !s.cutoffFailed; r.Selected {
		r.Candidates = int(d.reports.selected.Candidates)
	}
	return r
}

// path is the way that the last sort went, by what it has launched and what the device has decided.
func (d *onDevice) path() string {
	last := func(kernel string) int {
		for i, name := range slices.Backward(d.launches) {
			if strings.HasPrefix(name, kernel) {
				return i
			}
		}
		return -1
	}
	if last("dictionary_ranks") >= 0 {
		return "ranks"
	}
	scanned, decision := last("key_scan"), d.reports.report.Decision
	switch single := len(d.launches) - 1; {
	case scanned < 0 && single >= 0 && last("cluster") == single:
		return "cluster"
	case scanned < 0 && single >= 0 && last("cooperative") == single:
		return "cooperative"
	case scanned < 0:
		return "digits"
	case last("check_order") > scanned:
		return "order"
	case last("split_heavy") > scanned:
		return "split"
	case d.launches[scanned] == "key_scan_keys" && (decision.Accepted != 0 || decision.Reason == abi.ReasonOrdered):
		return "keys"
	case decision.Accepted != 0:
		return "buckets"
	}
	reason := []string{"", "equal", "few", "large", "count", "read", "range"}[decision.Reason]
	if decision.Early != 0 {
		reason += "!"
	}
	return reason
}
