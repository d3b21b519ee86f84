//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"
)

// Program is the program arrowsort, which registers itself: its package imports this one.
type Program struct {
	// Main runs the command line, args without the name of the program, and returns the exit code.
	Main func(args []string) int
	// Run runs a command and returns the JSON object that it prints.
	Run func(ctx context.Context, args []string, progress func(phase string, done, total int64)) ([]byte, error)
	// Version is that of the program.
	Version string
}

var program Program

// version is the version as C has it.
var version *C.char

// Register sets the program that carries out requests about files. It is called once, when the library is loaded.
func Register(p Program) { program, version = p, C.CString(p.Version) }

//export goArrowsortVersion
func goArrowsortVersion() *C.char { return version }

//export goArrowsortMain
func goArrowsortMain(argc C.int32_t, argv **C.char) C.int32_t {
	var args []string
	for _, text := range unsafe.Slice(argv, int(argc)) {
		args = append(args, C.GoString(text))
	}
	return C.int32_t(program.Main(args[min(1, len(args)):]))
}

func runFiles(r *request) error {
	c, err := callOf(r.call)
	switch {
	case err != nil:
		return err
	case r.text == nil:
		return optionErrorf("the request is NULL")
	case r.out_text == nil:
		return optionErrorf("the pointer to the report is NULL")
	}
	args, err := argsOf([]byte(C.GoString(r.text)))
	if err != nil {
		return err
	}
	report, err := program.Run(c.Context, args, c.report)
	if err != nil {
		return err
	}
	return r.putText(bytes.TrimSpace(report))
}

// printing are the flags that say what is printed, which the library decides.
var printing = []string{"json", "quiet", "verbose", "preview", "help", "version"}

// commandLetters are the characters of names of commands, flagLetters those of flags.
const (
	commandLetters = "abcdefghijklmnopqrstuvwxyz"
	flagLetters    = commandLetters + "-"
)

// argsOf makes a command line of a request: an object of flags, with the command and its inputs.
func argsOf(text []byte) (args []string, err error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(text, &request); err != nil {
		return nil, optionErrorf("the request is no JSON object: %v", err)
	}
	var command string
	err = json.Unmarshal(request["command"], &command)
	if err != nil || command == "" || strings.Trim(command, commandLetters) != "" {
		return nil, optionErrorf("the request's \"command\" is no name of a command")
	}
	var inputs []string
	if given, ok := request["inputs"]; ok && json.Unmarshal(given, &inputs) != nil {
		return nil, optionErrorf("the request's \"inputs\" are no array of paths")
	}
	args = []string{command, "--json"}
	for _, name := range slices.Sorted(maps.Keys(request)) {
		switch {
		case name == "command" || name == "inputs":
			continue
		case strings.Trim(name, flagLetters) != "":
			return nil, optionErrorf("the request's %q is no name of a flag", name)
		case slices.Contains(printing, name):
			return nil, optionErrorf("the request has %q, which is for terminals; leave it out", name)
		}
		values, err := flagValues(request[name])
		if err != nil {
			return nil, optionErrorf("the request's %q: %v", name, err)
		}
		for _, value := range values {
			if value == "-" && name == "output" {
				return nil, optionErrorf("the request's output is standard output; name a file")
			}
			args = append(args, "--"+name+"="+value)
		}
	}
	if slices.Contains(inputs, "-") {
		return nil, optionErrorf("an input of the request is standard input; name a file")
	}
	return append(append(args, "--"), inputs...), nil
}

// flagValues returns the texts of a flag: of a text, a number, true or false, or of each of an array.
func flagValues(value json.RawMessage) ([]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var parsed any
	if err := decoder.Decode(&parsed); err != nil {
		return nil, err
	}
	list, ok := parsed.([]any)
	if !ok {
		list = []any{parsed}
	}
	values := make([]string, len(list))
	for i, element := range list {
		switch element.(type) {
		case string, json.Number, bool:
			values[i] = fmt.Sprint(element)
		default:
			return nil, fmt.Errorf("%v is no text, number, true, false or array of these", element)
		}
	}
	return values, nil
}
