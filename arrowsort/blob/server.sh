#!/usr/bin/env bash
# Starts a server of S3, versitygw, for a try: its bucket "bucket" is FOLDER/data/bucket, with the flights of the
# examples. Sourced in the root of the repository, it names the server in the environment:
#
#   . arrowsort/blob/server.sh FOLDER [PORT]
mkdir -p "$1/data/bucket" "$1/meta" && cp examples/data/flights.parquet "$1/data/bucket"
at=$(cd "$1" && pwd) # versitygw takes a relative folder for one inside of another
export AWS_ENDPOINT_URL_S3="http://127.0.0.1:${2:-7070}" AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
folder=build/servers/versitygw-v1.8.0
[ -x $folder/versitygw ] || GOBIN="$PWD/$folder" go install -trimpath github.com/versity/versitygw/cmd/versitygw@v1.8.0
$folder/versitygw --port "127.0.0.1:${2:-7070}" --access key --secret secret --quiet \
	posix --sidecar "$at/meta" "$at/data" >"$at/log" 2>&1 &
until (echo >"/dev/tcp/127.0.0.1/${2:-7070}") 2>/dev/null; do
	kill -0 $! || break # it has failed
	sleep 0.1
done
