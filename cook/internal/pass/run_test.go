package pass

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// A project is a directory of assets. All stamps in it can be trusted.
type project struct {
	t *testing.T
	session.Options
	heard *recorder
}

// A recorder is an observer that records messages.
type recorder struct {
	notes  string
	events []execute.Event
}

func (r *recorder) Reading(_, _ int, _ int64)  {}
func (r *recorder) Stage(string)               {}
func (r *recorder) Planned(int, time.Duration) {}
func (r *recorder) Step(_, _, _ string)        {}

func (r *recorder) Note(text string)      { r.notes += text + "\n" }
func (r *recorder) Event(e execute.Event) { r.events = append(r.events, e) }

// newProject makes a project of files with the given texts, by path.
func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	dir := t.TempDir()
	p := &project{t: t, heard: &recorder{}}
	p.Options = session.Options{
		Place:   session.Place{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store")},
		Recipes: builtin.All(),
		Time:    session.Time{Now: func() time.Time { return time.Now().Add(time.Hour) }},
	}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

// needFolderStamps skips a test that relies on stamps of directories, on systems where these
// stamps cannot be trusted.
func needFolderStamps(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("every run lists the tree, as directories have no stamps to trust")
	}
}

// write writes an asset.
func (p *project) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.Place.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// open opens a session that may write.
func (p *project) open() *session.Session {
	p.t.Helper()
	*p.heard = recorder{}
	p.Observer = p.heard
	s, err := session.Open(p.Options, session.Write)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(s.Close)
	return s
}

// run runs a pass over the whole tree.
func (p *project) run() Done {
	p.t.Helper()
	s := p.open()
	defer s.Close()
	done, err := Run(p.t.Context(), s, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return done
}

// out returns the name of a file in the output directory.
func (p *project) out(name string) string {
	return filepath.Join(p.Place.Out, filepath.FromSlash(name))
}

// counts returns the nonzero stats of a pass.
func counts(d Done) string {
	var list []string
	for name, n := range d.Stats.Values() {
		if of, ok := strings.CutSuffix(name, "/count"); ok && n != 0 {
			list = append(list, fmt.Sprint(of, " ", n))
		}
	}
	return strings.Join(list, ", ")
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// An up-to-date action is counted once, whether or not the pass reports it by an event.
func TestUpToDateCountsOnce(t *testing.T) {
	for _, every := range []bool{false, true} {
		p := newProject(t, map[string]string{"a.txt": "one", "b/c.txt": "two", "d.txt": "three"})
		p.Mode.EveryAction = every
		p.run()
		p.write("a.txt", "other")
		for _, want := range [...]string{"cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", "cook/found 3, cook/skip/stamp 3"} {
			if got := counts(p.run()); got != want {
				t.Errorf("every action %v: %s, want %s", every, got, want)
			}
			told := 0
			for _, e := range p.heard.events {
				if e.Outcome == execute.UpToDate {
					told++
				}
			}
			if (told > 0) != every {
				t.Errorf("every action %v: %d events of actions that need no work", every, told)
			}
		}
	}
}

// A run may be interrupted while it syncs sources of another file system to the disk. It then
// leaves a dirty marker. The next run ignores stamps; a run over the whole tree removes the marker.
func TestDirtyMarker(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "one", "b/c.txt": "two"})
	p.run()
	if d := p.run(); d.Stats.Outcomes.ByStamp.Assets != 2 || d.Stats.Checksummed.Assets != 0 {
		t.Fatalf("no-op run: %s", counts(d))
	}
	marker := p.out(manifest.StateDir + "/dirty")
	if err := os.WriteFile(marker, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		patterns []string
		read     int // sources and outputs that the run reads
	}{{[]string{"a.txt"}, 2}, {nil, 4}} {
		p.Scope.Patterns = tt.patterns
		d := p.run()
		if d.Stats.Checksummed.Assets < tt.read || d.Stats.Outcomes.ByStamp.Assets > 0 || !strings.Contains(p.heard.notes, "interrupted") {
			t.Errorf("patterns %q: %s, notes %q", tt.patterns, counts(d), p.heard.notes)
		}
		if exists(marker) != (tt.patterns != nil) {
			t.Errorf("patterns %q: marker %v", tt.patterns, exists(marker))
		}
	}
	if d := p.run(); d.Stats.Outcomes.ByStamp.Assets != 2 || d.Stats.Checksummed.Assets != 0 || p.heard.notes != "" {
		t.Errorf("afterwards: %s, notes %q", counts(d), p.heard.notes)
	}
}

// A source is broken, repaired, and broken again in the same way. In between, a run is killed after
// it has made the output. The next run must remove this output.
func TestOutputOfKilledRunGoesWithItsSource(t *testing.T) {
	p := newProject(t, map[string]string{"a.json": "", "b.txt": "two"})
	if d := p.run(); d.Stats.Outcomes.Failed.Assets != 1 || d.Stats.Outcomes.Cooked.Assets != 1 {
		t.Fatalf("%s", counts(d))
	}
	s := p.open()
	if err := s.State.Journal.Write([]plan.Claim{{Output: "a.json", Source: "a.json"}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := os.WriteFile(p.out("a.json"), []byte(`{}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if d := p.run(); d.Stats.Outcomes.Failed.Assets != 1 || d.Stats.UpToDate() != 1 {
		t.Errorf("%s", counts(d))
	}
	if exists(p.out("a.json")) {
		t.Error("the output of a broken source is there")
	}
	if exists(p.out(manifest.StateDir + "/journal")) {
		t.Error("the journal is left")
	}
}

// An index is not reused if a recipe cooks other extensions by default.
func TestRecipesWithOtherExtensions(t *testing.T) {
	p := newProject(t, map[string]string{"a.json": "{ }", "b.txt": "{ }"})
	p.run()
	for i := range p.Recipes {
		if p.Recipes[i].Name == "json" {
			p.Recipes[i].Extensions = []string{".txt"}
		}
	}
	if d := p.run(); d.Stats.Outcomes.Cooked.Assets+d.Stats.Outcomes.Restored.Assets != 2 {
		t.Errorf("%s, %v", counts(d), p.heard.events)
	}
	for name, want := range map[string]string{"a.json": "{ }", "b.txt": "{}"} {
		if got, err := os.ReadFile(p.out(name)); string(got) != want {
			t.Errorf("%s becomes %q, %v, want %q", name, got, err, want)
		}
	}
	if d := p.run(); d.Stats.UpToDate() != 2 {
		t.Errorf("afterwards: %s", counts(d))
	}
}

// Without the recipe copy, each file that no recipe cooks is an error with advice.
func TestNoRecipeForAFile(t *testing.T) {
	p := newProject(t, map[string]string{"a.json": "{ }", "b.txt": "two", "c": "three", "d.bin": "four", ".cookignore": "*.bin\n"})
	p.Recipes = slices.DeleteFunc(p.Recipes, func(r recipe.Recipe) bool { return r.Name != "json" })
	if d := p.run(); d.Stats.Outcomes.Cooked.Assets != 1 || d.Stats.Outcomes.Failed.Assets != 2 {
		t.Errorf("%s", counts(d))
	}
	const want = `no recipe cooks files with this extension, and there is no recipe "copy" for other files; name a recipe in a [[rule]] (there are json), or list the file in .cookignore`
	for _, e := range p.heard.events {
		if e.Outcome == execute.Failed && e.Err.Error() != want {
			t.Errorf("%s: %v", e.Path, e.Err)
		}
	}
}

// TestOutputOfFailedActionStaysOurs loses the index after a failure. The manifest does not list the
// earlier output, but cook must still recognize the output as one that it made.
func TestOutputOfFailedActionStaysOurs(t *testing.T) {
	p := newProject(t, map[string]string{
		"cook.toml": "[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n",
		"a.gltf":    `{"asset":{"version":"2.0"},"images":[{"uri":"missing.png"}]}`,
	})
	if d := p.run(); d.Stats.Outcomes.Cooked.Assets != 1 || d.Stats.Warnings != 1 {
		t.Fatalf("%s", counts(d))
	}
	p.Mode.Strict = true
	if d := p.run(); d.Stats.Outcomes.Failed.Assets != 1 {
		t.Fatalf("strict: %s", counts(d))
	}
	if !exists(p.out("a.gltf")) {
		t.Fatal("the output of the same source is gone")
	}
	if listed, err := os.ReadFile(p.out(manifest.Name)); err != nil || strings.Contains(string(listed), "a.gltf") {
		t.Errorf("the manifest lists what failed: %s, %v", listed, err)
	}
	if err := os.Remove(p.out(manifest.StateDir + "/index")); err != nil {
		t.Fatal(err)
	}
	p.Mode.Strict = false
	p.write("a.gltf", `{"asset":{"version":"2.0"}}`) // output of another program with equal content, which cook would adopt
	if d := p.run(); d.Stats.Outcomes.Cooked.Assets != 1 {
		t.Errorf("without the index: %s, %v", counts(d), p.heard.events)
	}
	if exists(p.out(manifest.StateDir + "/journal")) {
		t.Error("the journal is left")
	}
}

// A new failure is not recorded while the source, or a dependency, is being saved: the old output
// stays, and the next pass cooks the asset again.
func TestFailureWhileSavedDoesNotCount(t *testing.T) {
	const model = `{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":%d}]}`
	for name, tc := range map[string]struct {
		breaks, mends map[string]string // texts by file name; "" removes the file
		counts        bool
	}{
		"source half written":        {breaks: map[string]string{"a.gltf": `{"asset":`}, mends: map[string]string{"a.gltf": fmt.Sprintf(model, 3)}},
		"dependency half written":    {breaks: map[string]string{"b.bin": "12"}, mends: map[string]string{"b.bin": "123456"}},
		"dependency missing":         {breaks: map[string]string{"b.bin": ""}, mends: map[string]string{"b.bin": "123456"}},
		"both, and one comes":        {breaks: map[string]string{"a.gltf": `{`, "b.bin": ""}, mends: map[string]string{"a.gltf": `{"asset`}},
		"source broken for good":     {breaks: map[string]string{"a.gltf": `{`}, counts: true},
		"dependency broken for good": {breaks: map[string]string{"b.bin": "1"}, counts: true},
		"another file is saved":      {breaks: map[string]string{"a.gltf": `{`}, mends: map[string]string{"c.txt": "new"}, counts: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{"a.gltf": fmt.Sprintf(model, 4), "b.bin": "1234", "c.txt": "c", "cook.toml": "[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n"})
			save := func(files map[string]string) {
				for name, text := range files {
					if text != "" {
						p.write(name, text)
					} else if err := os.Remove(filepath.Join(p.Place.Dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			pass := func(hesitate func()) Done {
				t.Helper()
				s := p.open()
				defer s.Close()
				done, err := RunWatched(t.Context(), s, nil, Watching{Hesitate: hesitate})
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			out := p.out("a.gltf")
			pass(nil)
			want, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			save(tc.breaks)
			done := pass(func() { save(tc.mends) })
			got, _ := os.ReadFile(out)
			if stays := string(got) == string(want); stays == tc.counts || done.Stats.Outcomes.Failed.Assets > 0 != tc.counts || done.Stats.Outcomes.NotReached.Assets > 0 == tc.counts {
				t.Errorf("output stays: %v; %+v", stays, done.Stats.Outcomes)
			}
			if next := pass(nil); !tc.counts && next.Stats.UpToDate() == next.Stats.Found.Assets {
				t.Errorf("the next pass sees to nothing: %+v", next.Stats.Outcomes)
			}
		})
	}
}
