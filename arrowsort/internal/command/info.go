package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/gpu"
)

// facts are the output of info.
type facts struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Date    string   `json:"date"` // of the commit
	Engines []string `json:"engines"`
	GPUs    []string `json:"gpus"`
	Cores   int      `json:"cores"`
	Memory  int64    `json:"memory_bytes"`
	System  string   `json:"system"`
	Go      string   `json:"go"`
}

func newInfo(s streams) *cobra.Command {
	var asJSON bool
	var opts parquetsort.Options
	cmd := &cobra.Command{
		Use:   "info [FILE...]",
		Short: "Show what files hold; without any, version, engines and machine",
		Long: `Show what files hold: rows, row groups or record batches, the order that they declare, and for each
column its type, and in Parquet and Arrow files its nulls, bytes, codecs and encodings. Without FILE it shows version,
engines and machine.

FILE is as the inputs of arrowsort sort, but for standard input. Of Parquet and Arrow files the metadata are read, of
CSV all of the text. A file that cannot be read is a line of error, and the others are shown. The bytes of a column are
those in the file, with those of the fields inside it; raw is the same without compression. In Parquet the nulls of a
field count those of what is around it, and empty lists.

` + exitHelp,
		Example: `  arrowsort info flights.parquet
  arrowsort info --json 'flights/*.parquet'`,

		SuggestFor: []string{"version", "schema", "describe"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return showFiles(cmd.Context(), s, args, &opts, csvFlag(cmd), asJSON)
			}
			if cmd.Flags().NFlag() > 1 || cmd.Flags().NFlag() == 1 && !asJSON {
				return usagef("without files info shows the machine: name the file that the flags are for")
			}
			return showMachine(s, asJSON)
		},
	}
	addInput(cmd, &opts)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// showMachine prints version, engines and machine.
func showMachine(s streams, asJSON bool) error {
	f := facts{Version: version(), Engines: []string{"cpu"}, GPUs: []string{},
		Cores: runtime.GOMAXPROCS(0), Memory: totalMemory,
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		f.Commit, f.Date = commit(build.Settings)
	}
	devices, err := gpu.Devices()
	for _, d := range devices {
		f.Engines = []string{"cpu", "gpu"}
		f.GPUs = append(f.GPUs, gpuText(d, len(devices)))
	}
	if asJSON {
		return json.NewEncoder(s.out).Encode(f)
	}
	gpus := f.GPUs
	if err != nil {
		gpus = []string{"none: " + err.Error()}
	}
	_, err = fmt.Fprintf(s.out, "arrowsort %s\ncommit:   %s\nengines:  %s\ngpu:      %s\ncores:    %d\n"+
		"memory:   %s\nsystem:   %s\ngo:       %s\n",
		f.Version, strings.TrimSpace(f.Commit+" "+f.Date), strings.Join(f.Engines, ", "),
		strings.Join(gpus, "\n          "), f.Cores,
		bytesText(f.Memory), f.System, f.Go)
	return err
}

// gpuText describes one of some GPUs.
func gpuText(d gpu.Device, of int) string {
	text := fmt.Sprintf("%s, compute capability %s, %s", d.Name, d.Compute, bytesText(d.Memory))
	if of == 1 {
		return text
	}
	if len(d.Peers) == 0 {
		return fmt.Sprintf("%s, number %d, reaches no other", text, d.Number)
	}
	peers := strings.Trim(fmt.Sprint(d.Peers), "[]")
	return fmt.Sprintf("%s, number %d, reaches %s", text, d.Number, strings.ReplaceAll(peers, " ", ", "))
}

// version returns the module's version; (devel) for builds without one.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" {
		return "(devel)"
	}
	return build.Main.Version
}

// commit returns the commit of the build and its date. Builds outside of a checkout, such as go install of a version,
// have neither.
func commit(settings []debug.BuildSetting) (revision, date string) {
	revision = "unknown"
	modified := ""
	for _, setting := range settings {
		switch setting.Key {
		case "vcs.revision":
			revision = setting.Value
		case "vcs.time":
			date = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				modified = " with changes"
			}
		}
	}
	return revision + modified, date
}
