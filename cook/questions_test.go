package cook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/scan"
)

// stampsOf are the stamps of everything below some folders that exist.
func stampsOf(t *testing.T, dirs ...string) map[string]scan.Stamp {
	t.Helper()
	all := map[string]scan.Stamp{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				all[name] = scan.StampOf(info)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return all
}

// A question writes nothing, whatever state it finds: no file or folder among
// the assets, the outputs and the store comes, goes or gets another stamp.
func TestQuestionsChangeNothing(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	if err := cooktest.Sample(in("assets")); err != nil {
		t.Fatal(err)
	}
	opt := cook.Options{Dir: in("assets"), Out: in("cooked"), Cache: in("store"), Workers: 2}
	write := func(name, text string) func() error {
		return func() error { return os.WriteFile(in(name), []byte(text), 0o666) }
	}
	states := []struct {
		name string
		make func() error
	}{
		{"nothing cooked yet", func() error { return nil }},
		{"up to date", func() error { _, err := cook.Cook(t.Context(), opt); return err }},
		{"source edited", write("assets/data/cup.json", `{"races": []}`)},
		{"source added", write("assets/data/new.json", `{}`)},
		{"source broken", write("assets/tex/wood.png", "no picture")},
		{"source gone", func() error { return os.Remove(in("assets/plain.txt")) }},
		{"output edited", write("cooked/data/level.json", "edited")},
		{"output gone", func() error { return os.Remove(in("cooked/same/one.txt")) }},
		{"manifest damaged", write("cooked/manifest.json", "{")},
		{"journal left over", write("cooked/.cook/journal", `"data/new.json" "data/new.json" ""`+"\n")},
		{"index damaged", write("cooked/.cook/index", "no index")},
		{"store gone", func() error { return os.RemoveAll(in("store")) }},
		{"rules changed", write("assets/cook.toml", "[[rule]]\nmatch = \"*.json\"\nminify = false\n")},
		{"rules broken", write("assets/cook.toml", "[[rule")},
	}
	for _, state := range states {
		if err := state.make(); err != nil {
			t.Fatalf("%s: %v", state.name, err)
		}
		before := stampsOf(t, in("assets"), in("cooked"), in("store"))
		ask := opt
		ask.DryRun = true
		_, dryErr := cook.Cook(t.Context(), ask)
		_, whyErr := cook.Why(t.Context(), opt, "data/level.json")
		if broken := state.name == "rules broken"; (dryErr != nil) != broken || (whyErr != nil) != broken {
			t.Errorf("%s: dry run: %v, why: %v", state.name, dryErr, whyErr)
		}
		after := stampsOf(t, in("assets"), in("cooked"), in("store"))
		for name, stamp := range after {
			if before[name] != stamp {
				t.Errorf("%s: a question wrote %s", state.name, name)
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				t.Errorf("%s: a question removed %s", state.name, name)
			}
		}
	}
}
