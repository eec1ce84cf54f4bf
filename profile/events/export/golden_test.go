package export

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The files under testdata are what is written of a small recording with an event of
// every kind. The two packed formats are kept unpacked, as packers may change.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file string
		got  []byte
	}{
		{"kitchen.pftrace", writtenBy(t, WritePerfetto, kitchen())},
		{"kitchen.json", unpacked(t, writtenBy(t, WriteChrome, kitchen()))},
		{"kitchen.folded", writtenBy(t, WriteFolded, kitchen())},
		{"kitchen.pprof.txt", []byte(readPprof(t, writtenBy(t, WritePprof, kitchen())).String())},
	} {
		file := filepath.Join("testdata", c.file)
		if *update {
			if err := os.WriteFile(file, c.got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.got, want) {
			t.Errorf("%s: what is written has changed; if it should, run go test -update\n%q", file, c.got)
		}
	}
}
