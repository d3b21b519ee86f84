package tablefile

import "testing"

// fuzz feeds broken files to the reader of a format. Whatever comes, it returns a sound table or one line of error.
func fuzz(f *testing.F, format Format) {
	for name, b := range samples(f) {
		if formatOfSample(name) == format {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { _ = readHarmless(t, format, b) })
}

func FuzzReadParquet(f *testing.F)   { fuzz(f, Parquet) }
func FuzzReadIPCFile(f *testing.F)   { fuzz(f, IPCFile) }
func FuzzReadIPCStream(f *testing.F) { fuzz(f, IPCStream) }
func FuzzReadCSV(f *testing.F)       { fuzz(f, CSV) }
