package beamsort

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// engines are those of Options.Engine but the CPU.
var engines = struct {
	sync.Mutex
	open   map[string]func() (engine.Engine, error)
	opened map[string]engine.Engine
}{open: map[string]func() (engine.Engine, error){}, opened: map[string]engine.Engine{}}

// RegisterEngine gives an engine a name for Options.Engine: a GPU, as in
//
//	beamsort.RegisterEngine("gpu", func() (engine.Engine, error) { return gpu.Open(gpu.Options{}) })
//
// A worker opens it for its first shard and keeps it. As workers run the program that builds the pipeline, it is called
// before beam.Init. It panics when the name is empty, "cpu", or taken.
func RegisterEngine(name string, open func() (engine.Engine, error)) {
	engines.Lock()
	defer engines.Unlock()
	if name == "" || name == cpuEngine || engines.open[name] != nil {
		panic(fmt.Sprintf("beamsort: an engine cannot have the name %q", name))
	}
	engines.open[name] = open
}

// cpuEngine is the name of what sorts without a name.
const cpuEngine = "cpu"

// checkEngine finds out whether an engine has the name.
func checkEngine(name string) error {
	engines.Lock()
	defer engines.Unlock()
	if name == "" || name == cpuEngine || engines.open[name] != nil {
		return nil
	}
	names := append([]string{cpuEngine}, slices.Sorted(maps.Keys(engines.open))...)
	return fmt.Errorf("%w: Engine %q is not registered; there are %s", ErrOption, name, strings.Join(names, ", "))
}

// openEngine is the engine of a name; nil is the CPU.
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
