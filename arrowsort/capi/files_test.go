//go:build capi

package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestRequestsAreCommandLines(t *testing.T) {
	for request, want := range map[string][]string{
		`{"command": "sort", "inputs": ["a", "-b"], "key": ["x:desc", "y"], "output": "o"}`: {
			"sort", "--json", "--key=x:desc", "--key=y", "--output=o", "--", "a", "-b"},
		`{"command": "check", "inputs": ["a"], "key": "x", "limit": 12345678901234567890}`: {
			"check", "--json", "--key=x", "--limit=12345678901234567890", "--", "a"},
		`{"command": "merge", "inputs": ["a"], "unique": true, "no-header": false, "key": []}`: {
			"merge", "--json", "--no-header=false", "--unique=true", "--", "a"},
		`{"command": "info"}`: {"info", "--json", "--"},
	} {
		args, err := argsOf([]byte(request))
		require.NoError(t, err, request)
		require.Equal(t, want, args)
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	for _, request := range []string{
		``, `{`, `[]`, `null`, `{}`, `{"command": 1}`, `{"command": "-x"}`, `{"command": "a b"}`,
		`{"command": "sort", "inputs": "a"}`, `{"command": "sort", "inputs": [1]}`,
		`{"command": "sort", "inputs": ["-"]}`, `{"command": "sort", "inputs": ["a"], "output": "-"}`,
		`{"command": "sort", "inputs": ["a"], "json": false}`, `{"command": "sort", "inputs": ["a"], "help": true}`,
		`{"command": "sort", "inputs": ["a"], "key": {}}`, `{"command": "sort", "inputs": ["a"], "key": [null]}`,
		`{"command": "sort", "inputs": ["a"], "limit": null}`, `{"command": "sort", "inputs": ["a"], "preview": 5}`,
		`{"command": "sort", "inputs": ["a"], "limit=5": true}`, `{"command": "sort", "inputs": ["a"], "Limit": 5}`,
	} {
		_, err := argsOf([]byte(request))
		require.ErrorIs(t, err, arrowsort.ErrOption, request)
	}
}
