#!/usr/bin/env bash
# Starts a server of S3, versitygw, for a try: its bucket "bucket" is FOLDER/data/bucket, with the flights of the
# examples. Sourced by bash in the root of the repository, it names the server in the environment:
#
#   . arrowsort/blob/server.sh FOLDER [PORT]
if (echo >"/dev/tcp/127.0.0.1/${2:-7070}") 2>/dev/null; then
	echo "port ${2:-7070} is taken: end the server there, or give another port" >&2
	return 1
fi
mkdir -p "$1/data/bucket" "$1/meta" && cp examples/data/flights.parquet "$1/data/bucket" || return
at=$(cd "$1" && pwd) # versitygw takes a relative folder for one inside of another
export AWS_ENDPOINT_URL_S3="http://127.0.0.1:${2:-7070}" AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
export AWS_REGION=us-east-1 # which Beam needs for outputs
folder=build/servers/versitygw-v1.8.0
[ -x $folder/versitygw ] || GOBIN="$PWD/$folder" go install -trimpath github.com/versity/versitygw/cmd/versitygw@v1.8.0
$folder/versitygw --port "127.0.0.1:${2:-7070}" --access key --secret secret --quiet \
	posix --sidecar "$at/meta" "$at/data" >"$at/log" 2>&1 &
until (echo >"/dev/tcp/127.0.0.1/${2:-7070}") 2>/dev/null; do
	kill -0 $! || break # it has failed
	sleep 0.1
done
