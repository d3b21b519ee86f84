// Package errkind has the kinds of errors that users match with errors.Is, one value for each kind, and turns panics of
// libraries into errors. It lies below all packages that return them.
package errkind

import (
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// The kinds. Packages export those that they return, with their contracts.
var (
	ErrNoKeys     = newKind("must specify one or more sort keys", arrow.ErrInvalid)
	ErrColumn     = newKind("invalid sort key column", arrow.ErrKey, arrow.ErrInvalid)
	ErrKeyType    = newKind("unsupported type of sort key", arrow.ErrNotImplemented)
	ErrOption     = newKind("invalid argument", arrow.ErrInvalid)
	ErrRows       = newKind("too many rows", arrow.ErrInvalid)
	ErrOffsets    = newKind("too long for one array", arrow.ErrInvalid)
	ErrDictionary = newKind("too many dictionary entries", arrow.ErrInvalid)
	ErrIndex      = newKind("invalid row number", arrow.ErrIndex)
	ErrUnsorted   = newKind("not sorted", arrow.ErrInvalid)
	ErrSchema     = newKind("columns differ", arrow.ErrType, arrow.ErrInvalid)

	// ErrMemory is that of the engines, which lie below this package.
	ErrMemory = engine.ErrMemory
	// ErrLimit is the ErrMemory of a file that asks for more memory than it may take.
	ErrLimit = Reword(ErrMemory, "not enough memory")
	// ErrBudget is the ErrMemory of data that do not fit in a budget and cannot be spilled.
	ErrBudget = Reword(ErrMemory, "arrowsort: the memory budget is too small")

	// ErrFileOption and ErrFileSchema are ErrOption and ErrSchema in the words of package parquetsort.
	ErrFileOption = Reword(ErrOption, "parquetsort: invalid option")
	ErrFileSchema = Reword(ErrSchema, "parquetsort: schemas differ")

	// ErrCorrupt is returned for a file that does not follow its format.
	ErrCorrupt = errors.New("corrupted file")
	// ErrUnsupported is returned for a file that follows its format, but holds what cannot be read here.
	ErrUnsupported = errors.New("not supported")
)

// A kind is an error that matches errors of Arrow too.
type kind struct {
	text  string
	arrow []error
}

func newKind(text string, arrow ...error) error { return &kind{"arrowsort: " + text, arrow} }

func (k *kind) Error() string { return k.text }

func (k *kind) Is(target error) bool { return slices.Contains(k.arrow, target) }

// Reword returns an error of a kind with another text.
func Reword(kind error, text string) error { return &reworded{kind, text} }

type reworded struct {
	kind error
	text string
}

func (r *reworded) Error() string { return r.text }

func (r *reworded) Unwrap() error { return r.kind }
