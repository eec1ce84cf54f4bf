package cook_test

import (
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/survey"
)

// Dry runs, Why and the survey write nothing, whatever state they find: no file or directory of the
// assets, the outputs and the store is added, removed or gets another stamp.
func TestReadOnlyVerbsChangeNothing(t *testing.T) {
	p := sampleProject(t)
	write := func(name, text string) func() error {
		return func() error { return os.WriteFile(p.path(name), []byte(text), 0o666) }
	}
	states := []struct {
		name string
		make func() error
	}{
		{"nothing cooked yet", func() error { return nil }},
		{"up to date", func() error { _, err := p.run.Cook(t.Context()); return err }},
		{"source edited", write("assets/data/cup.json", `{"races": []}`)},
		{"source added", write("assets/data/new.json", `{}`)},
		{"source broken", write("assets/tex/wood.png", "no picture")},
		{"source gone", func() error { return os.Remove(p.path("assets/plain.txt")) }},
		{"output edited", write("cooked/data/level.json", "edited")},
		{"output gone", func() error { return os.Remove(p.path("cooked/same/one.txt")) }},
		{"manifest damaged", write("cooked/manifest.json", "{")},
		{"journal left over", write("cooked/.cook/journal", `"data/new.json" "data/new.json" ""`+"\n")},
		{"index damaged", write("cooked/.cook/index", "no index")},
		{"store gone", func() error { return os.RemoveAll(p.path("store")) }},
		{"rules changed", write("assets/cook.toml", "[[rule]]\nmatch = \"*.json\"\nminify = false\n")},
		{"rules broken", write("assets/cook.toml", "[[rule")},
	}
	damaged := false // the index is
	for _, state := range states {
		if err := state.make(); err != nil {
			t.Fatalf("%s: %v", state.name, err)
		}
		before := stampsOf(t, nil, p.run.Dir, p.run.Out, p.run.Cache)
		ask := p.run
		ask.DryRun = true
		_, dryErr := ask.Cook(t.Context())
		_, whyErr := p.run.Why(t.Context(), "data/level.json")
		if broken := state.name == "rules broken"; (dryErr != nil) != broken || (whyErr != nil) != broken {
			t.Errorf("%s: dry run: %v, why: %v", state.name, dryErr, whyErr)
		}
		_, listErr := survey.List(p.run.Out)
		damaged = damaged || state.name == "nothing cooked yet" || state.name == "index damaged"
		if damaged != (listErr != nil) {
			t.Errorf("%s: list: %v", state.name, listErr)
		}
		survey.Runs(p.run.Out)
		if found, err := survey.Find(p.run.Out, []string{"data/level.json"}); damaged != (err != nil) || err == nil && len(found.Assets) != 1 {
			t.Errorf("%s: find: %+v, %v", state.name, found, err)
		}
		damaged = damaged && state.name != "nothing cooked yet"
		survey.ReadStore(t.Context(), p.run.Cache, p.run.Out) // there may be none
		checkStamps(t, state.name, before, stampsOf(t, nil, p.run.Dir, p.run.Out, p.run.Cache))
	}
}
