package kernels

// The sizes that host and kernels share. They exist here once: tuning.h is written from this file (see tuning_test.go).
const (
	// RadixBits is the most bits of a digit (paper, table 2: eight are the best).
	RadixBits = 8
	// RadixBins is the number of counters of a digit.
	RadixBins = 1 << RadixBits
	// MaxDigits is the most digits of one code word.
	MaxDigits = 8

	// BinningThreads is the size of a block of digit binning. Few warps with many rows each have fewer counters to add up
	// and more loads in flight; two blocks on a multiprocessor rank and scatter at the same time.
	BinningThreads = 320
	// BinningItems is the rows of a thread.
	BinningItems = 32
	// BinningItemsWide is the same for wide records, which take half as much room again.
	BinningItemsWide = 20
	// DigitTile is the rows of a tile of digit binning.
	DigitTile = BinningThreads * BinningItems
	// DigitTileWide is the same for wide records.
	DigitTileWide = BinningThreads * BinningItemsWide
	// StripRows is the most rows that one launch bins: its status words hold counts of 30 bits (paper, section 3.4).
	StripRows = 1 << 29

	// HistogramThreads is the size of a block of histogram, which fills a multiprocessor.
	HistogramThreads = 1024
	// HistogramCopies is how many counters each bin has in shared memory, so that lanes do not wait for one another.
	HistogramCopies = 16

	// StreamThreads is the size of a block of the kernels that read and write once.
	StreamThreads = 256
)
