// Command gen writes the sample asset tree testdata/assets: the art, sound,
// models, shaders and data of an invented game, "Pebble Grand Prix", in which
// small stones race karts across asteroids. A fresh clone can cook it at once:
//
//	go run ./cmd/cook -dir testdata/assets
//
// Everything is computed from formulas and fixed seeds, so each run gives the
// same bytes on every machine. Three habits make that hold:
//
//   - maths is in integers; floating point appears only where the vertices of
//     models are written, in single operations that no compiler can fuse
//   - PNG, WebP, TGA, QOI, Radiance HDR and TrueType are written by this folder, so
//     a new Go release with a better Deflate does not change the files
//   - nothing is iterated in map order and nothing reads the clock
//
// JPEG and GIF come from the standard library's encoders and BMP and TIFF from
// golang.org/x/image (TIFF uncompressed). If a Go release changes one of these,
// the test says so; run the generator again and commit what it wrote.
//
// Usage, from the root of the module:
//
//	go run ./testdata/gen [-out testdata/assets]
//	go test ./testdata/gen
//
// The folder testdata/rules holds configurations to cook the tree with; the tests
// look whether they still fit.
//
// The go tool leaves folders named testdata out of ./..., so the test has to be
// named as above.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "testdata/assets", "`directory` to write the asset tree to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "gen: unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	files, err := assets()
	if err == nil {
		err = write(*out, files, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write puts the files below out and logs one line. Files that already hold the
// right bytes are left alone, so their times do not change. Files that the
// generator does not know are not removed; the test reports them.
func write(out string, files []file, log io.Writer) error {
	written, total := 0, 0
	for _, f := range files {
		total += len(f.data)
		path := filepath.Join(out, filepath.FromSlash(f.path))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("create folder for %s: %w", f.path, err)
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
		written++
	}
	_, err := fmt.Fprintf(log, "gen: %d files, %d bytes, %d written in %s\n", len(files), total, written, out)
	return err
}
