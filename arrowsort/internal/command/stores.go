package command

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A Store has the files of addresses such as s3://bucket/x.parquet.
type Store interface {
	parquetsort.Store
	// Traffic returns what the store did so far.
	Traffic() Traffic
	Close() error
}

// Traffic is what was asked of a store, in the form of --json.
type Traffic struct {
	Requests     int64 `json:"requests"` // for ranges of objects
	Retries      int64 `json:"retries"`  // requests that were made again
	BytesFetched int64 `json:"bytes_fetched"`
}

// stores opens the store of a program when an address needs it.
type stores struct {
	open   func() Store // nil: the program has none
	opened Store
}

// of returns the store if one of some paths is an address that it has; else nil.
func (s *stores) of(paths ...string) Store {
	isAddress := func(path string) bool { return tablefile.Scheme(path) != "" }
	if s == nil || s.open == nil || !slices.ContainsFunc(paths, isAddress) {
		return nil
	}
	if s.opened == nil {
		s.opened = s.open()
	}
	if !slices.ContainsFunc(paths, s.has) {
		return nil
	}
	return s.opened
}

// has reports whether a path is an address of the store, which is open.
func (s *stores) has(path string) bool {
	return s != nil && s.opened != nil && tablefile.Scheme(path) != "" && s.opened.Has(path)
}

// opener returns how an input is opened; nil: it is a local file.
func (s *stores) opener(ctx context.Context, path string) tablefile.Opener {
	if !s.has(path) {
		return nil
	}
	return func(path string) (tablefile.File, error) { return s.opened.Open(ctx, path) }
}

// traffic returns what was asked of the store; nil: nothing.
func (s *stores) traffic() *Traffic {
	if s == nil || s.opened == nil {
		return nil
	}
	t := s.opened.Traffic()
	return &t
}

func (s *stores) close() {
	if s.opened != nil {
		s.opened.Close() // what was written was committed before
	}
}

// checkInputPaths returns why one of the paths cannot be an input.
func (s *stores) checkInputPaths(paths []string) error {
	for _, path := range paths {
		_, err := os.Stat(path)
		switch scheme := tablefile.Scheme(path); {
		case err == nil || scheme == "" || s.has(path):
		case scheme == "file":
			return usagef("%s is an address: give the path of the file, as in %s", path,
				strings.TrimPrefix(path, "file://"))
		default:
			return usagef("%s is an address, and only %s are read: copy it here first, or pipe it to the input - of "+
				"the command with --format%s", path, s.reach(), s.hint(scheme))
		}
	}
	return nil
}

// reach is what can be read and written.
func (s *stores) reach() string {
	if s == nil {
		return "files of this machine"
	}
	return "files of this machine, s3://, gs:// and azblob://"
}

// hint names the program for object stores, for errors about their addresses.
func (s *stores) hint(scheme string) string {
	if s == nil && slices.Contains([]string{"s3", "gs", "azblob"}, scheme) {
		return "; the command of arrowsort/blob reads and writes object stores"
	}
	return ""
}
