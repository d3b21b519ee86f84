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
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/valuesort"
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
	d := &onDevice{Session: s}
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
	*device.Session
	columns  *keys.Columns // of the last sort, until Release
	plan     *keyencode.Plan
	order    driver.Ptr
	launches []string
}

func (d *onDevice) Stream() cub.Stream { return cub.Stream(d.Streams[0].Handle()) }

// begin makes the keys columns of a job that were uploaded.
func (d *onDevice) begin(by []cub.Key, job *engine.Job) {
	kinds := map[cub.Type]keyencode.Kind{cub.U32: keyencode.Uint32, cub.I32: keyencode.Int32,
		cub.F32: keyencode.Float32, cub.U64: keyencode.Uint64, cub.I64: keyencode.Int64, cub.F64: keyencode.Float64,
		cub.I16: keyencode.Int16}
	for i, k := range by {
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
	d.columns = keys.NewColumns(device.NewTask(context.Background(), d.Session, 0), job, nil, nil)
	for i, k := range by {
		d.columns.OnDevice[i] = &keys.Column{Values: driver.Ptr(k.Values), Validity: driver.Ptr(k.Validity),
			Bit: uint64(k.Bit)}
	}
}

func (d *onDevice) Sort(keys []cub.Key, rows, limit int) cub.Ptr {
	d.begin(keys, &engine.Job{Rows: rows, Limit: limit})
	d.order, d.plan = argsort.Run(d.columns, func() {})
	must(d.columns.Err)
	return cub.Ptr(d.order)
}

// SortValues sorts as package table does.
func (d *onDevice) SortValues(key cub.Key, rows int) cub.Ptr {
	if !d.Facts.SortsValues(d.Tuning, rows, false) {
		order := d.Sort([]cub.Key{key}, rows, 0)
		values := d.columns.Alloc(key.Bytes() * rows)
		gather.Rows(d.columns.Task, driver.Ptr(key.Values), key.Bytes(), driver.Ptr(order), rows, values)
		return cub.Ptr(values)
	}
	d.begin([]cub.Key{key}, &engine.Job{Rows: rows})
	d.plan = nil
	values, _ := valuesort.Sort(d.columns)
	must(d.columns.Err)
	return cub.Ptr(values)
}

func (d *onDevice) Encode(by []cub.Key, rows int) cub.Ptr {
	d.begin(by, &engine.Job{Rows: rows})
	plan, err := keyencode.NewPlan(d.columns.Job.Columns, d.columns.Job.Keys, d.columns.Measure(d.columns.Job.Keys))
	must(err)
	if d.plan = plan; plan.Words() != 1 {
		panic("the keys need two words")
	}
	codes := d.columns.EncodeFields(d.columns.Fields(keys.PlanFields(plan, 0)), 0, rows)
	must(d.columns.Err)
	return cub.Ptr(codes)
}

func (d *onDevice) Gather(values, gathered cub.Ptr, times int, windows bool) {
	out, to := d.columns.Job.Out(), driver.Ptr(gathered)
	s := gather.New(d.columns.Task, d.order, d.columns.Rows, out)
	for range times {
		if !windows {
			s.Launch("gather_8", s.Blocks(out), uint64(values), uint64(d.order), uint64(out), uint64(to))
		} else if !s.GatherWindows(driver.Ptr(values), 8, to) {
			panic("no memory for windows")
		}
	}
	s.ReleaseWindows()
	must(s.Err)
}

func (d *onDevice) Release() {
	if d.columns != nil {
		d.columns.End()
		must(d.columns.Err)
		d.columns = nil
	}
}

func (d *onDevice) Spoil() {
	for size, blocks := range d.Pool.Spare {
		for _, p := range blocks {
			d.Stream().Fill(cub.Ptr(p), 0xee, size)
		}
	}
}

func (d *onDevice) Trim() { must(d.Pool.Trim()) }

func (d *onDevice) Thresholds() cub.Thresholds {
	return cub.Thresholds{SmallSortRows: d.Tuning.SmallSortRows, KeysRows: d.Tuning.KeysRows,
		RangesRows: d.Tuning.RangesRows, SelectRows: d.Tuning.SelectRows}
}

func (d *onDevice) SetThresholds(t cub.Thresholds) {
	d.Tuning.SmallSortRows, d.Tuning.SelectRows = t.SmallSortRows, t.SelectRows
	d.Tuning.KeysRows, d.Tuning.RangesRows = t.KeysRows, t.RangesRows
}

func (d *onDevice) OnLaunch(launched func(kernel string)) {
	d.Session.OnLaunch = func(kernel string) {
		if d.launches = append(d.launches, kernel); launched != nil {
			launched(kernel)
		}
	}
}

func (d *onDevice) Report() cub.Report {
	job := d.columns.Job
	_, bits, ok := keys.TypeWord(job.Columns, job.Keys)
	switch {
	case d.plan != nil && d.plan.Words() > 0:
		bits = d.plan.WordBits(0)
	case d.plan != nil:
		bits = 0
	case !ok:
		bits = 64
	}
	r := cub.Report{Path: d.path(), Bits: bits}
	shape, _ := strategy.ShapeSelect(d.Tuning, job.Rows, job.Out())
	found := d.Reports.Selected
	if r.Selected = slices.Contains(d.launches, "select_border") && found.Candidates <= uint64(shape.Capacity) &&
		found.Candidates+found.Tied >= uint64(job.Out()); r.Selected {
		r.Candidates = int(found.Candidates)
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
	if last("encode_fixed_point") >= 0 {
		return "fixed point"
	}
	if last("dictionary_ranks") >= 0 {
		return "ranks"
	}
	scanned, decision := last("key_scan"), d.Reports.Report.Decision
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
