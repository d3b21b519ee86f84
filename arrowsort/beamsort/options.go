package beamsort

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// ErrOption is returned for an option or an argument that makes no sense. It is the ErrOption of package arrowsort.
var ErrOption = arrowsort.ErrOption

var errOption = errkind.Reword(ErrOption, "beamsort: invalid option")

// Options say how to sort. The zero value is right.
type Options struct {
	// Shards is the number of output files; 0 is one for each 256 MiB that the rows take in memory.
	Shards int
	// KeysFor, when set, returns the keys for the schema of the inputs, in place of the keys that are given. It is
	// called when the pipeline is built.
	KeysFor func(schema *arrow.Schema) ([]arrowsort.Key, error) `json:"-"`
	// Memory is the budget in bytes of one part that is read and of one shard that is sorted, at least
	// parquetsort.MinMemory; a shard that needs more is spilled to SpillDir. 0 is a quarter of what the worker has.
	// A runner's own copy of a shard's batches comes on top of it, and so does an eighth for the store of inputs,
	// 16 MiB at least, which all steps of a process share.
	Memory int64
	// SpillDir is the folder of a worker for spilled shards and for copies of files of Beam's file systems; empty is
	// os.TempDir.
	SpillDir string
	// ShuffleDir is a local folder, or one that all workers share, in which rows travel to their shards, in files that
	// are removed at the end: the runner's elements are locations in them. It needs space for all rows as they are in
	// memory. Empty is the folder of the output. If the output is an object store and no folder is given, rows travel
	// through the runner.
	ShuffleDir string
	// RunnerShuffle makes rows travel through the runner in any case. Prism sends the rows of all shards to a worker in
	// one message of at most 2 GiB, and holds several copies of them in memory.
	RunnerShuffle bool
	// SpillCompression compresses spilled rows: lz4 or zstd; empty and none do not.
	SpillCompression string
	// InputFormat is parquet, arrow or arrows (a stream); empty goes by the names of the files.
	InputFormat string
	// Compression is CODEC or CODEC:LEVEL for the shards; empty is zstd.
	Compression string
	// RowGroupRows and PageRows are the largest numbers of rows of a row group and of a page; 0 is 262,144 and
	// 16,384, as in package parquetsort.
	RowGroupRows, PageRows int
	// Engine is the name of the engine that sorts the shards: cpu, or one of RegisterEngine; empty is cpu.
	Engine string
	// Threads is the largest number of threads that a step uses on a worker; 0 is GOMAXPROCS.
	Threads int
}

const (
	shardBytes  = 256 << 20 // size of a shard in memory, unless a number of shards is given
	partBytes   = 64 << 20  // approximate size of an input part
	mostShards  = 99_999    // names of shards have five digits
	shareOfHost = 4         // a shard and its sort take this part of a worker's memory
)

// memory returns the budget of a step.
func (o *Options) memory() int64 {
	if o.Memory != 0 {
		return o.Memory
	}
	return max(machine.Memory()/shareOfHost, parquetsort.MinMemory)
}

func (o *Options) check() error {
	if err := checkEngine(o.Engine); err != nil {
		return err
	}
	switch {
	case o.Shards < 0 || o.Shards > mostShards:
		return fmt.Errorf("%w: Shards is %d; give 1 to %d, or 0 for as many as the rows need", errOption, o.Shards,
			mostShards)
	case o.ShuffleDir != "" && o.RunnerShuffle:
		return fmt.Errorf("%w: ShuffleDir and RunnerShuffle exclude each other", errOption)
	case isRemote(o.ShuffleDir):
		return fmt.Errorf("%w: ShuffleDir is %s; give a local or shared folder", errOption, o.ShuffleDir)
	}
	if _, err := extsort.ResolveMemory(o.Memory); err != nil {
		return fmt.Errorf("%w: %w", errOption, err)
	}
	spilling := extsort.Options{SpillCompression: o.SpillCompression, Threads: o.Threads}
	if err := spilling.Resolve(); err != nil {
		return fmt.Errorf("%w: %w", errOption, err)
	}
	if _, err := tablefile.ParseCompression(o.Compression); err != nil {
		return fmt.Errorf("%w: %w", errOption, err)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"RowGroupRows", o.RowGroupRows}, {"PageRows", o.PageRows}} {
		if n.value < 0 {
			return fmt.Errorf("%w: %s is %d", errOption, n.name, n.value)
		}
	}
	return nil
}

// shards returns the number of shards for rows of a size in bytes.
func (o *Options) shards(bytes int64) int {
	if o.Shards > 0 {
		return o.Shards
	}
	return int(min(max((bytes+shardBytes-1)/shardBytes, 1), mostShards))
}

// engines are the registered engines, by the name in Options.Engine.
var engines = struct {
	sync.Mutex
	open   map[string]func() (engine.Engine, error)
	opened map[string]engine.Engine
}{open: map[string]func() (engine.Engine, error){}, opened: map[string]engine.Engine{}}

// RegisterEngine gives an engine a name for Options.Engine: a GPU, as in
//
//	beamsort.RegisterEngine("gpu", func() (engine.Engine, error) { return gpu.Open(gpu.Options{}) })
//
// A worker opens it for its first shard and keeps it. Workers run the program that builds the pipeline, so call it
// before beam.Init. It panics when the name is empty, "cpu", or taken.
func RegisterEngine(name string, open func() (engine.Engine, error)) {
	engines.Lock()
	defer engines.Unlock()
	if name == "" || name == cpuEngine || engines.open[name] != nil {
		panic(fmt.Sprintf("beamsort: an engine cannot have the name %q", name))
	}
	engines.open[name] = open
}

// cpuEngine is the name of the engine that sorts if none is named.
const cpuEngine = "cpu"

// checkEngine returns an error if no engine has the name.
func checkEngine(name string) error {
	engines.Lock()
	defer engines.Unlock()
	if name == "" || name == cpuEngine || engines.open[name] != nil {
		return nil
	}
	names := append([]string{cpuEngine}, slices.Sorted(maps.Keys(engines.open))...)
	return fmt.Errorf("%w: Engine %q is not registered; there are %s", errOption, name, strings.Join(names, ", "))
}

// openEngine returns the engine of a name; nil is the CPU engine.
func openEngine(name string) (engine.Engine, error) {
	if name == "" || name == cpuEngine {
		return nil, nil
	}
	if err := checkEngine(name); err != nil {
		return nil, err
	}
	engines.Lock()
	defer engines.Unlock()
	if e := engines.opened[name]; e != nil {
		return e, nil
	}
	e, err := engines.open[name]()
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", name, err)
	}
	engines.opened[name] = e
	return e, nil
}

// isRemote reports whether a path is that of a file system of Beam.
func isRemote(path string) bool { return strings.Contains(path, "://") }
