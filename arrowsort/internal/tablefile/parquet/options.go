package tablefile

// parquetReadOptions are the options of openParquet.
type parquetReadOptions = fileOptions

// parquetEncodeOptions are those of parquetWriteOptions that concern columns.
type parquetEncodeOptions = encoderOptions

// parquetFileMagic are the first and the last bytes of a file.
const parquetFileMagic = parquetMagic

// The numbers of rows of a page at most, and of a row group, when no others are asked for.
const (
	parquetPageRows     = writerPageRows
	parquetRowGroupRows = writerRowGroupRows
)

// hasParquetCodec reports whether there is a codec of a name.
func hasParquetCodec(name string) bool {
	_, ok := parquetCodecs[name]
	return ok
}
