// Package blob reads and writes the files of object stores for package parquetsort: Amazon S3 and what speaks its
// protocol (s3), Google Cloud Storage (gs), Azure (azblob), and for tests memory (mem) and folders (file), through
// gocloud.dev/blob.
//
//	store := blob.NewStore(blob.Options{})
//	defer store.Close()
//	opts.Run.Store = store
//	result, err := parquetsort.Sort(ctx, []string{"s3://bucket/in/*.parquet"}, "s3://bucket/sorted.parquet", opts)
//
// # Reading
//
// An object is read by ranges: its last bytes, where a Parquet file has its footer, then the columns and row groups
// that are needed. Ranges that lie next to each other are fetched by one request of up to 8 MiB, several requests at a
// time, ahead of those who read. Nothing is copied to the disk but compressed CSV. A request that breaks off goes on
// where it broke off.
//
// # Writing
//
// An object is uploaded in parts while its rows are written, and appears when it is complete. What is not committed
// leaves nothing.
//
// # Credentials
//
// They are found as the client libraries of the stores find them: AWS_ACCESS_KEY_ID and the like, shared files, roles;
// GOOGLE_APPLICATION_CREDENTIALS; AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY. AWS_ENDPOINT_URL_S3, with paths in place
// of host names for buckets, and STORAGE_EMULATOR_HOST name other servers.
package blob
