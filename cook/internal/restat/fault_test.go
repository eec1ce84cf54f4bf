//go:build linux || darwin

package restat_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/internal/mapped"
)

// If an index is truncated while it is mapped, the result is an error and the process survives.
// The test truncates it where its directories are listed, where its nodes are, and where names
// are looked up after the restat.
func TestCutIndex(t *testing.T) {
	w := &tree{TB: t, base: t.TempDir()}
	for i := range 1000 { // a smaller index would be read instead of mapped
		w.write(fmt.Sprintf("assets/x/%d", i), "")
	}
	w.live()
	e := w.index()
	data := e.Flat
	for _, length := range []int64{0, 4096, 16384} {
		if length >= int64(len(data)) {
			t.Fatalf("the index has only %d bytes", len(data))
		}
		w.must(os.WriteFile(w.name("index"), data, 0o666))
		f, err := os.Open(w.name("index"))
		w.must(err)
		file, err := mapped.Of(f)
		f.Close()
		w.must(err)
		live, err := index.Open(file.Data, e.Changes)
		w.must(err)
		opt := w.options(live)
		opt.IgnoreStamps = true
		all := w.sweep(opt)
		opt.Checksum = function(t)
		w.must(os.Truncate(w.name("index"), length))
		for _, opt.Workers = range []int{1, 4} {
			if found, err := restat.Find(t.Context(), opt); !errors.Is(err, index.ErrFault) || found != nil {
				t.Errorf("cut to %d: found %v, error %v", length, found, err)
			}
			if err := restat.Compare(t.Context(), opt, all); !errors.Is(err, index.ErrFault) {
				t.Errorf("cut to %d: compared with error %v", length, err)
			}
		}
		w.must(file.Close())
	}
}
