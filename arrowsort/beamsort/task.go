package beamsort

import "github.com/arrowsort/arrowsort/arrowsort/parquetsort"

// A task is a part of the inputs that a step reads.
type task struct {
	Number       int64 // of the part, in the order of files and rows
	Path         string
	First, Count int64 // of parquetsort.Part
}

// tasks are the parts of the inputs, whose paths are those of the copies of some files.
func tasks(d *parquetsort.Division, files *inputFiles) []task {
	all := make([]task, len(d.Parts))
	for i, p := range d.Parts {
		all[i] = task{int64(i), files.original(p.Path), int64(p.First), int64(p.Count)}
	}
	return all
}

// in is the part in a file that has the bytes of Path.
func (t *task) in(path string) parquetsort.Part {
	return parquetsort.Part{Path: path, First: int(t.First), Count: int(t.Count)}
}
