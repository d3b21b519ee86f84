//go:build !linux

package tablefile

import "os"

// A directFile writes a file as usual where its pages cannot pass by the cache.
type directFile struct{ file *os.File }

func newDirectFile(file *os.File) *directFile { return &directFile{file} }

func (d *directFile) Write(b []byte) (int, error) { return d.file.Write(b) }

func (d *directFile) flush() error { return nil }
