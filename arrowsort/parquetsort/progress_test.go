package parquetsort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// A phaseLog is the phases of a job. It fails where one comes again, goes back, or has more than all or another total.
type phaseLog struct {
	t      *testing.T
	called sync.Mutex
	phases []Phase
	done   map[Phase]int64
	total  map[Phase]int64
}

func (l *phaseLog) progress(phase Phase, done, total int64) {
	require.True(l.t, l.called.TryLock(), "it is called from two goroutines at a time")
	defer l.called.Unlock()
	if n := len(l.phases); n == 0 || l.phases[n-1] != phase {
		require.NotContains(l.t, l.phases, phase)
		l.phases = append(l.phases, phase)
	} else if l.total[phase] > 0 { // else it was not known yet
		require.Equal(l.t, l.total[phase], total, phase)
	}
	require.GreaterOrEqual(l.t, done, l.done[phase], phase)
	require.True(l.t, total <= 0 || done <= total, "%s: %d of %d", phase, done, total)
	l.done[phase], l.total[phase] = done, total
}

// TestPhasesFollowOneAnother in all kinds of jobs, and end when all is done.
func TestPhasesFollowOneAnother(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("text,n\n")
	for i := range 60_000 {
		fmt.Fprintf(&rows, "%s %d,%d\n", strings.Repeat("a text", 12), i%1000, i*7919%60_000)
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	text, table, sorted, out := at("in.csv"), at("in.parquet"), at("sorted.parquet"), at("out.parquet")
	require.NoError(t, os.WriteFile(text, []byte(rows.String()), 0o600))
	byN, byText := []arrowsort.Key{{Path: "n"}}, []arrowsort.Key{{Path: "text"}}
	for path, keys := range map[string][]arrowsort.Key{table: byText, sorted: byN} {
		sortFiles(t, []string{text}, path, Options{Keys: keys})
	}
	check := func(ctx context.Context, paths []string, _ string, opts Options) (*Result, error) {
		checked, err := Check(ctx, paths, checking(opts))
		if err == nil {
			_, err = CheckFooters(ctx, checked, FooterOptions{Run: opts.Run})
		}
		return nil, err
	}
	readAndWrite := []Phase{PhaseRead, PhaseWrite}
	for name, c := range map[string]struct {
		job    writing
		inputs []string
		output string
		opts   Options
		phases []Phase // that are not optional, with all that they have to do
	}{
		"in memory": {Sort, []string{table}, out, Options{Keys: byN}, []Phase{PhaseLoad, PhaseSort, PhaseSave}},
		"in pieces": {Sort, []string{table, sorted}, out, Options{Keys: byN}, readAndWrite},
		"CSV":       {Sort, []string{text, text}, at("out.csv"), Options{Keys: byN}, append(readAndWrite, PhaseTypes)},
		"spilled": {Sort, []string{table, table}, out, Options{Keys: byN,
			Memory: Memory{Budget: MinMemory}}, readAndWrite},
		"limited": {Sort, []string{table, table}, out, Options{Keys: byN, Rows: Rows{Limit: 9}}, readAndWrite},
		"tail": {Sort, []string{table, table}, out, Options{Keys: byN, Rows: Rows{Tail: 9},
			Memory: Memory{Budget: MinMemory}},
			readAndWrite},
		"unique": {Sort, []string{table, table}, out, Options{Keys: byText,
			Rows: Rows{Unique: true}}, []Phase{PhaseCheck}},
		"merged": {Merge, []string{sorted, sorted}, out, Options{Keys: byN}, []Phase{PhaseCheck, PhaseWrite}},
		"merged in passes": {Merge, slices.Repeat([]string{sorted}, 7), out, Options{Keys: byN,
			Memory: Memory{Budget: MinMemory}},
			[]Phase{PhaseMerge, PhaseWrite}},
		"copied": {Sort, []string{sorted}, out, Options{Keys: byN}, nil},
		"several outputs": {Sort, []string{table}, out, Options{Keys: byN,
			Output: Output{RowsPerFile: 20000}}, readAndWrite},
		"checked": {check, []string{sorted, table}, "", Options{Keys: byText}, nil},
		"footers": {check, []string{table, table}, "", Options{Keys: byN,
			Rows: Rows{Limit: 1}}, []Phase{PhaseFooters}},
	} {
		t.Run(name, func(t *testing.T) {
			log := &phaseLog{t: t, done: map[Phase]int64{}, total: map[Phase]int64{}}
			c.opts.Run.Progress = log.progress
			_, err := c.job(t.Context(), c.inputs, c.output, c.opts)
			require.NoError(t, err)
			require.NotEmpty(t, log.phases)
			for _, phase := range c.phases {
				require.Contains(t, log.phases, phase)
				require.Positive(t, log.total[phase], phase)
				require.Equal(t, log.total[phase], log.done[phase], phase)
			}
		})
	}
}

// writing is a function that writes rows.
type writing func(ctx context.Context, inputs []string, output string, opts Options) (*Result, error)

// TestPhasesBeginBeforeTheirWork so that the time of a phase is not taken for that of the one before, and no bar is
// drawn among rows that are written.
func TestPhasesBeginBeforeTheirWork(t *testing.T) {
	folder := t.TempDir()
	text, table := filepath.Join(folder, "in.csv"), filepath.Join(folder, "in.parquet")
	require.NoError(t, os.WriteFile(text, []byte("k,n\n3,1\n1,2\n2,3\n"), 0o600))
	sortFiles(t, []string{text}, table, Options{Keys: []arrowsort.Key{{Path: "n"}}})
	argsort := func(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
		return Argsort(ctx, paths[0], output, opts)
	}
	for name, job := range map[string]writing{"sort": Sort, "argsort": argsort} {
		for _, ext := range []string{".parquet", ".arrow", ".csv"} {
			var phases []Phase
			opts := Options{Keys: []arrowsort.Key{{Path: "k"}}, Run: Run{Progress: func(phase Phase, done, _ int64) {
				if !slices.Contains(phases, phase) {
					require.Zero(t, done, phase)
					phases = append(phases, phase)
				}
			}}}
			_, err := job(t.Context(), []string{table}, filepath.Join(folder, name+ext), opts)
			require.NoError(t, err)
			require.Equal(t, []Phase{PhaseLoad, PhaseSort, PhaseSave}, phases, name+ext)
		}
	}
}

// TestEngineStartsWhileRowsAreReadAndStopsBeforeTheyAreWritten, if it is one that takes time for it.
func TestEngineStartsWhileRowsAreReadAndStopsBeforeTheyAreWritten(t *testing.T) {
	folder := t.TempDir()
	table, sorted := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	argsort := func(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
		return Argsort(ctx, paths[0], output, opts)
	}
	for name, c := range map[string]struct {
		job    writing
		inputs []string
		opts   Options
		want   []string
	}{
		"in memory": {Sort, []string{table}, Options{},
			[]string{"start", string(PhaseLoad), string(PhaseSort), "sort", "stop", string(PhaseSave)}},
		"argsort": {argsort, []string{table}, Options{},
			[]string{"start of any rows", string(PhaseLoad), string(PhaseSort), "sort", "stop", string(PhaseSave)}},
		"runs": {Sort, []string{table, table}, Options{},
			[]string{string(PhaseCheck), "start", string(PhaseRead), "sort", string(PhaseSort), string(PhaseWrite)}},
	} {
		t.Run(name, func(t *testing.T) {
			log := &onDemandLog{Engine: cpu.New()}
			c.opts.Keys = []arrowsort.Key{{Path: "key"}}
			c.opts.Run = Run{Engine: log, Progress: func(phase Phase, _, _ int64) { log.add(string(phase)) }}
			_, err := c.job(t.Context(), c.inputs, sorted, c.opts)
			require.NoError(t, err)
			require.Equal(t, c.want, log.events)
		})
	}
}

// An onDemandLog is an engine on demand that notes what happens, each event once.
type onDemandLog struct {
	engine.Engine
	mu     sync.Mutex
	events []string
}

func (l *onDemandLog) add(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.events, event) {
		l.events = append(l.events, event)
	}
}

func (l *onDemandLog) Start(rows int64) {
	if rows < 0 {
		l.add("start of any rows")
		return
	}
	l.add("start")
}

func (l *onDemandLog) Stop() { l.add("stop") }

func (l *onDemandLog) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	l.add("sort")
	return l.Engine.Sort(ctx, job, mem)
}
