package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
)

// fileTables are the rows of an input. The file is open while it is read only.
type fileTables struct {
	in    *inputs
	path  string
	piece int64 // bytes
	file  *input
}

func (f *fileTables) next(ctx context.Context) (arrow.Table, error) {
	if f.file == nil {
		file, err := f.in.openIn(f.path, f.piece)
		if err != nil {
			return nil, err
		}
		f.file = file
	}
	return f.file.nextDecoded(ctx)
}

func (f *fileTables) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
