package icebergsort

import (
	"errors"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// The kinds of errors, for errors.Is, with those of package parquetsort. A file is not below 60 lines for less: they
// are the errors of all stages.
var (
	// ErrOption is returned for an option that makes no sense, and for a column or a table that is not there.
	ErrOption = arrowsort.ErrOption
	// ErrUnsupported is returned, before any work, for a table that cannot be rewritten: of a version, a format or a
	// place of files that is not supported.
	ErrUnsupported = parquetsort.ErrUnsupported
	// ErrConflict is returned when others have changed the table meanwhile in a way that the rewrite would undo.
	// Nothing was committed: run it again.
	ErrConflict = errors.New("icebergsort: the table has changed meanwhile")
	// ErrUnknown is returned when it could not be found out whether the catalog took the commit. New files stay.
	ErrUnknown = errors.New("icebergsort: the catalog did not say whether it took the commit")
)
