package cook_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// TestReadOnlyVerbsChangeNothing runs dry runs, Why and the survey over various states. They must
// not add, remove or change any file or directory.
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
	damaged := false
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
		survey.ReadStore(t.Context(), p.run.Cache, p.run.Out) // fails if the store does not exist yet
		checkStamps(t, state.name, before, stampsOf(t, nil, p.run.Dir, p.run.Out, p.run.Cache))
	}
}

// TestNoOpRunWritesNothing expects a no-op run not to change the stamp of any file or directory in
// the outputs or the store.
func TestNoOpRunWritesNothing(t *testing.T) {
	p := newProject(t)
	for name, text := range map[string]string{"a.txt": "text", "b.json": "{}", "c.png": string(oracle.Picture(1))} {
		p.write(name, text)
	}
	p.run.Now = func() time.Time { return time.Now().Add(time.Hour) } // makes all stamps old enough to be trusted
	s := p.cook()
	before := stampsOf(t, isLock, p.run.Out, p.run.Cache)
	if s.Cooked.Assets != 3 || len(before) < 6 {
		t.Fatalf("%s, %d files", s.String(), len(before))
	}
	for i := range 2 {
		if s := p.cook(); s.ByStamp.Assets != 3 || s.Checksummed.Assets != 0 {
			t.Errorf("run %d: %s, %d files checksummed", i, s.String(), s.Checksummed.Assets)
		}
		checkStamps(t, fmt.Sprint("run ", i), before, stampsOf(t, isLock, p.run.Out, p.run.Cache))
	}
}

// TestWhyOfOutputInChanges expects Why to find the source of an output that was added after the
// index was written.
func TestWhyOfOutputInChanges(t *testing.T) {
	p := smallFiles(t, 30)
	p.write("cook.toml", "[[rule]]\nmatch = \"*.yaml\"\nrecipe = \"data\"\n")
	p.write("a.yaml", "a: 1\n")
	p.cookAll()
	p.tick()
	p.write("b.yaml", "b: 1\n")
	p.cookAll()
	for _, source := range []string{"a.yaml", "b.yaml"} {
		all, err := cook.Why(t.Context(), p.run.Project(), source, cook.WhyOptions{})
		if err != nil || len(all) != 1 || all[0].Last == nil || len(all[0].Last.Outputs) != 1 {
			t.Fatalf("%s: %+v, %v", source, all, err)
		}
		output := all[0].Last.Outputs[0].Path
		if output == source {
			t.Fatalf("the output of %s has its name", source)
		}
		if all, err := cook.Why(t.Context(), p.run.Project(), output, cook.WhyOptions{}); err != nil || len(all) != 1 || all[0].Path != source {
			t.Errorf("%s: %+v, %v", output, all, err)
		}
	}
}
