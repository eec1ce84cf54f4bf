//go:build linux || darwin

package sweep_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/sweep"
	"github.com/assetcook/assetcook/internal/mapped"
)

// An index that is cut while it is mapped is an error, not the end of the
// process: where its folders are listed, where its nodes are, and where names
// are looked up after the sweep.
func TestCutIndex(t *testing.T) {
	w := &tree{TB: t, base: t.TempDir()}
	for i := range 300 {
		w.write(fmt.Sprintf("assets/x/%d", i), "")
	}
	w.live()
	data := w.builder().Bytes()
	x, err := index.Open(data)
	w.must(err)
	changes := index.NoChanges(x)
	for _, length := range []int64{0, 4096, 16384} {
		if length >= int64(len(data)) {
			t.Fatalf("the index has only %d bytes", len(data))
		}
		w.must(os.WriteFile(w.name("index"), data, 0o666))
		file, err := mapped.Open(w.name("index"))
		w.must(err)
		live, err := index.OpenLive(file.Data, changes)
		w.must(err)
		opt := w.options(live)
		opt.Verify = true
		all := w.sweep(opt)
		w.must(os.Truncate(w.name("index"), length))
		for _, opt.Workers = range []int{1, 4} {
			if found, err := sweep.Sweep(t.Context(), opt); !errors.Is(err, sweep.ErrFault) || found != nil {
				t.Errorf("cut to %d: found %v, error %v", length, found, err)
			}
			if _, err := sweep.Compare(t.Context(), opt, all.Files, function(t), new(sweep.Reads)); !errors.Is(err, sweep.ErrFault) {
				t.Errorf("cut to %d: compared with error %v", length, err)
			}
		}
		w.must(file.Close())
	}
}
