package cook_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// A run that does something is told of afterwards, one that does nothing leaves the
// history as it was.
func TestHistory(t *testing.T) {
	opt := sampleOptions(t)
	file := filepath.Join(opt.Out, ".cook", "history")
	asset := filepath.Join(opt.Dir, "new.json")
	past := func() []cook.Past {
		t.Helper()
		runs, err := cook.History(opt.Out)
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	// check cooks, and fails unless that is n-th in the history, or not in it.
	check := func(n int) {
		t.Helper()
		s, err := cook.Cook(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		runs := past()
		if len(runs) == 0 && n > 0 || n > 0 && len(runs) != n {
			t.Fatalf("%d runs, want %d", len(runs), n)
		}
		if s.UpToDate()+s.Failed.Assets == s.Found.Assets {
			return
		}
		want := map[string]int64{}
		for name, value := range s.Values() {
			if value != 0 {
				want[name] = value
			}
		}
		if last := runs[len(runs)-1]; !maps.Equal(last.Counts, want) || last.Took != s.Took || last.At.IsZero() {
			t.Errorf("%v, want %v; %v, want %v", last.Counts, want, last.Took, s.Took)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(1)
	check(1)
	for n := range 3 {
		must(os.WriteFile(asset, fmt.Append(nil, n), 0o666))
		check(2 + n)
	}
	must(os.WriteFile(asset, []byte("["), 0o666))
	check(4)
	check(4) // it fails again

	// What a killed run left of its line harms no other.
	text, err := os.ReadFile(file)
	must(err)
	must(os.WriteFile(file, text[:len(text)-5], 0o666))
	must(os.WriteFile(asset, []byte("[1]"), 0o666))
	check(4)

	// It has an end.
	long := make([]byte, 0, 1<<20)
	first := text[:1+bytes.IndexByte(text[1:], '\n')]
	for range 5000 {
		long = append(long, first...)
	}
	must(os.WriteFile(file, long, 0o666))
	must(os.WriteFile(asset, []byte("[2]"), 0o666))
	check(0)
	if n := len(past()); n != 600 {
		t.Errorf("%d runs, want 600", n)
	}
	info, err := os.Stat(file)
	must(err)
	if info.Size() > 700<<10 {
		t.Errorf("%d bytes", info.Size())
	}

	// Rubbish goes when it has become too much.
	must(os.WriteFile(file, make([]byte, 3<<20), 0o666))
	must(os.WriteFile(asset, []byte("[4]"), 0o666))
	check(1)
	info, err = os.Stat(file)
	must(err)
	if info.Size() > 2000 {
		t.Errorf("%d bytes for one run", info.Size())
	}

	// Something else of that name is left alone, and keeps nobody from cooking.
	must(os.Remove(file))
	must(os.Mkdir(file, 0o777))
	must(os.WriteFile(asset, []byte("[3]"), 0o666))
	if s, err := cook.Cook(t.Context(), opt); err != nil || s.Cooked.Assets != 1 {
		t.Errorf("%s, %v", s.Line(), err)
	}
	if _, err := cook.History(opt.Out); err == nil {
		t.Error("a folder was read as a history")
	}
}
