package page

import "github.com/klauspost/compress/zstd"

// zstdWindow is how far back zstd looks: about a page.
const zstdWindow = MaxBytes

// newZstdEncoder makes an encoder that is used for many pages: the codec of arrow/go makes one with many megabytes of
// tables and history for every page, which takes longer than compressing.
func newZstdEncoder(level int) (*zstd.Encoder, error) {
	speed := zstd.SpeedFastest // zstd's level 1
	if level > 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderLevel(speed),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
}
