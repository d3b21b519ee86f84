package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/machine"
)

// facts are what info prints.
type facts struct {
	Version string   `json:"version"`
	Engines []string `json:"engines"`
	Cores   int      `json:"cores"`
	Memory  int64    `json:"memory_bytes"`
	System  string   `json:"system"`
	Go      string   `json:"go"`
}

func newInfo(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Show version, engines and machine",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f := facts{version(), []string{"cpu"}, runtime.GOMAXPROCS(0), machine.Memory(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
			if asJSON {
				return json.NewEncoder(s.out).Encode(f)
			}
			_, err := fmt.Fprintf(s.out, "arrowsort %s\nengines:  cpu\ncores:    %d\nmemory:   %s\nsystem:   %s\ngo:       %s\n",
				f.Version, f.Cores, bytesText(f.Memory), f.System, f.Go)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// version is the module's version, or the commit that was built.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" {
		return "(devel)"
	}
	return build.Main.Version
}
