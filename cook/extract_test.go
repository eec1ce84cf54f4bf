package cook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A painter is a recipe that copies its source and appends the extracts about the source. It reads
// all lists in the source's directory and in the parent directory. If the source begins with "asks
// NAME", it reads only the list NAME.
type painter struct{}

var (
	painting sync.Mutex
	painted  []string
)

func (painter) Outputs() []string { return []string{"{path}"} }

func (painter) Cook(_ context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	painting.Lock()
	painted = append(painted, strings.TrimSpace(string(data)))
	painting.Unlock()
	if name, ok := strings.CutPrefix(string(data), "asks "); ok {
		name, _, _ = strings.Cut(name, "\n")
		said, err := job.ReadExtract(name, "uses")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return job.Write(0, fmt.Appendf(data, "%v: %s", err, said))
	}
	if string(data) == "sneaks\n" {
		if _, err := job.ReadExtracts("*.txt", "uses"); err != nil {
			return err
		}
	}
	said, err := ask(job)
	for _, by := range said {
		data = fmt.Appendf(data, "%s: %s", by.File, by.Text)
	}
	if err != nil {
		return err
	}
	return job.Write(0, data)
}

func askLists(job *recipe.Job) error {
	_, err := ask(job)
	return err
}

// ask returns the extracts about a job's source from lists in two directories.
func ask(job *recipe.Job) (said []recipe.Said, err error) {
	for _, folder := range []string{"", "../"} {
		more, err := job.ReadExtracts(folder+"*.list", "uses")
		if err != nil {
			return nil, err
		}
		said = append(said, more...)
	}
	return said, nil
}

// usesOfList extracts lines of a list. A line "use NAME" concerns the file NAME, and a line "all"
// concerns every file.
var usesOfList = recipe.Extract{
	Name: "uses", Version: 1,
	Of: func(file io.ReaderAt, size int64) (recipe.Says, error) {
		listsRead.Add(1)
		text := make([]byte, size)
		if _, err := file.ReadAt(text, 0); err != nil && err != io.EOF {
			return nil, err
		}
		says := recipe.Says{}
		for line := range bytes.Lines(text) {
			switch words := strings.Fields(string(line)); {
			case len(words) == 3 && words[0] == "use":
				says[words[1]] = append(says[words[1]], line...)
			case len(words) == 2 && words[0] == "all":
				says[""] = append(says[""], line...)
			}
		}
		return says, nil
	},
}

var listsRead atomic.Int64

var painterRecipe = recipe.Recipe{Name: "painter", Version: 1, New: func() recipe.Cooker { return &painter{} }, Extracts: []recipe.Extract{usesOfList},
	Traits: func(recipe.Cooker) recipe.Traits { return recipe.Traits{Asks: askLists} }}

// A gallery is a project with painters and lists.
type gallery struct{ *project }

func newGallery(t *testing.T, pictures ...string) gallery {
	g := gallery{newProject(t)}
	g.run.Recipes = []recipe.Recipe{painterRecipe}
	g.write(".cookignore", "*.list\n")
	g.write("cook.toml", "[[rule]]\nmatch = \"*.pic\"\nrecipe = \"painter\"\n")
	for _, name := range pictures {
		g.write(name, name+"\n")
	}
	return g
}

// step cooks, and expects that painters cook exactly the wanted sources. Further runs must cook
// nothing.
func (g gallery) step(what string, want ...string) {
	g.Helper()
	g.tick()
	painted = nil
	g.cookAll()
	slices.Sort(painted)
	if !slices.Equal(painted, want) {
		g.Errorf("%s: cooked %q, want %q", what, painted, want)
	}
	for _, again := range []string{"again", "and again"} {
		painted = nil
		g.tick()
		if s := g.cook(); len(painted) > 0 || s.Restored.Assets > 0 {
			g.Errorf("%s, %s: cooked %q, %s", what, again, painted, s.String())
		}
	}
}

func (g gallery) made(name, want string) {
	g.Helper()
	if got, err := os.ReadFile(filepath.Join(g.run.Out, name)); err != nil || string(got) != want {
		g.Errorf("%s: %q %v, want %q", name, got, err, want)
	}
}

func (g gallery) remove(name string) {
	g.Helper()
	g.must(os.Remove(g.asset(name)))
}

// TestExtractsAreCookedMinimally edits lists, and expects cooks of only the assets whose extracts
// have changed.
func TestExtractsAreCookedMinimally(t *testing.T) {
	g := newGallery(t, "root.pic", "m/a.pic", "m/t/a.pic", "m/t/b.pic", "m/t/deep/a.pic")
	g.step("at first", "m/a.pic", "m/t/a.pic", "m/t/b.pic", "m/t/deep/a.pic", "root.pic")
	g.write("m/one.list", "shape 1\nuse a.pic x\nuse t/b.pic y\n")
	g.step("a list beside and above", "m/a.pic", "m/t/b.pic")
	g.made("m/a.pic", "m/a.pic\none.list: use a.pic x\n")
	g.made("m/t/a.pic", "m/t/a.pic\n")
	g.made("m/t/b.pic", "m/t/b.pic\n../one.list: use t/b.pic y\n")
	g.write("m/one.list", "shape 2 and more\nuse a.pic x\nuse t/b.pic y\n")
	g.step("another shape")
	g.write("m/one.list", "shape 3 and more\nuse a.pic x\nuse t/b.pic y\n")
	g.step("another shape of the same size")
	g.write("m/one.list", "shape 3 and more\nuse a.pic x\nuse t/b.pic z\n")
	g.step("another use", "m/t/b.pic")
	g.made("m/t/b.pic", "m/t/b.pic\n../one.list: use t/b.pic z\n")
	g.write("m/notes.txt", "nothing")
	g.step("another file in the directory")
	g.write("m/mute.list", "shape 1\n")
	g.step("a list that says nothing")
	g.write("m/mute.list", "shape 2\n")
	g.step("which says nothing else")
	g.write("m/mute.list", "use t/b.pic w\n")
	g.step("now it does", "m/t/b.pic")
	g.made("m/t/b.pic", "m/t/b.pic\n../mute.list: use t/b.pic w\n../one.list: use t/b.pic z\n")
	g.must(os.Rename(g.asset("m/mute.list"), g.asset("m/zero.list")))
	g.step("renamed, which counts as another list", "m/t/b.pic")
	g.made("m/t/b.pic", "m/t/b.pic\n../one.list: use t/b.pic z\n../zero.list: use t/b.pic w\n")
	g.remove("m/zero.list")
	g.step("gone")
	g.made("m/t/b.pic", "m/t/b.pic\n../one.list: use t/b.pic z\n")
	g.write("m/t/all.list", "all q\n")
	g.step("one that says something of all", "m/t/a.pic", "m/t/b.pic", "m/t/deep/a.pic")
	g.made("m/t/b.pic", "m/t/b.pic\nall.list: all q\n../one.list: use t/b.pic z\n")
	g.remove("m/t/all.list")
	g.step("gone as well")
	g.write("m/one.list", "use t/a.pic w\nuse t/b.pic z\n")
	g.step("another picture", "m/t/a.pic")
	g.made("m/a.pic", "m/a.pic\n")
	g.must(os.Rename(g.asset("m/t/b.pic"), g.asset("m/t/c.pic")))
	g.step("a picture renamed")
	g.made("m/t/c.pic", "m/t/b.pic\n")
	g.remove("m/one.list")
	g.step("no list")
	g.made("m/t/a.pic", "m/t/a.pic\n")
	g.made("m/t/deep/a.pic", "m/t/deep/a.pic\n")
}

// TestExtractsAreReadOnce expects a run to read each list once for all assets that use it. A no-op
// run must not read lists.
func TestExtractsAreReadOnce(t *testing.T) {
	const pictures, lists = 50, 7
	g := newGallery(t)
	for i := range pictures {
		g.write(fmt.Sprintf("p%02d.pic", i), fmt.Sprintln(i))
	}
	for i := range lists {
		g.write(fmt.Sprintf("%d.list", i), fmt.Sprintf("use p%02d.pic x\n", i))
	}
	g.run.Now = func() time.Time { return time.Now().Add(time.Hour) } // makes all stamps old enough to be trusted
	read := func(what string, want int64) {
		t.Helper()
		g.tick()
		listsRead.Store(0)
		g.cookAll()
		if got := listsRead.Load(); got != want {
			t.Errorf("%s: %d files were read, want %d", what, got, want)
		}
	}
	read("at first", lists)
	read("nothing to do", 0)
	g.write("3.list", "use p03.pic x\n")
	read("one written again", 1)
	g.write("3.list", "shape\nuse p03.pic x\n")
	read("another shape of one", 1)
	g.write("3.list", "use p03.pic y\n")
	read("one that says something else", lists)
	g.write("a.list", "")
	read("one more", lists+1)
	g.write("other.txt", "")
	if runtime.GOOS == "windows" {
		read("another file", lists) // Windows scans the whole tree
	} else {
		read("another file", 0)
	}
	g.write("p00.pic", "other")
	read("a picture", lists+1)
	read("nothing to do at last", 0)
}

// TestReasonsOfExtracts expects each reason to name the lists whose extracts have changed, also
// after the cook.
func TestReasonsOfExtracts(t *testing.T) {
	g := newGallery(t, "m/t/a.pic")
	g.write("asks.pic", "asks m/one.list\n")
	g.write("m/one.list", "use t/b.pic x\n")
	g.cookAll()
	why := func(what, picture, want string) {
		t.Helper()
		for _, patterns := range [][]string{nil, {"m", "asks.pic"}} {
			g.tick()
			before, err := g.run.Why(t.Context(), picture)
			g.must(err)
			if patterns == nil && (!before[0].Runs || len(before[0].Reasons) != 1 || !strings.HasPrefix(before[0].Reasons[0].String(), want)) {
				t.Errorf("%s: %v, want %s", what, before[0].Reasons, want)
			}
			g.cookAll()
			after, err := g.run.Why(t.Context(), picture)
			g.must(err)
			if last := after[0].Last.Reasons; after[0].Runs || len(last) != 1 || !strings.HasPrefix(last[0], want) {
				t.Errorf("%s: then %v and %q, want %s", what, after[0].Reasons, last, want)
			}
		}
	}
	g.write("m/one.list", "use t/a.pic x\n")
	why("edited", "m/t/a.pic", "dependency changed: m/one.list (uses): nothing -> ")
	g.write("m/two.list", "use t/a.pic y\n")
	g.write("m/mute.list", "use ../asks.pic y\n")
	why("more", "m/t/a.pic", "dependency changed: m/mute.list, m/two.list (uses): ")
	g.write("m/two.list", "all y\n")
	g.write("m/mute.list", "shape\nuse ../asks.pic y\n")
	why("edited again", "m/t/a.pic", "dependency changed: m/two.list (uses): ")
	g.remove("m/one.list")
	why("gone", "m/t/a.pic", "dependency changed: m/one.list (uses): ")
	g.write("m/one.list", "use ../asks.pic y\n")
	why("back", "asks.pic", "dependency changed: m/one.list (uses): absent -> ")
	g.remove("m/one.list")
	why("gone again", "asks.pic", "dependency changed: m/one.list (uses): ")
}

// TestExtractsOfOtherTargets cooks a target without extracts. The index must keep the extracts of
// other targets.
func TestExtractsOfOtherTargets(t *testing.T) {
	g := newGallery(t, "m/t/a.pic", "asks.pic")
	g.write("asks.pic", "asks m/one.list\n")
	g.write("m/one.list", "use t/a.pic x\n")
	g.write("cook.toml", "[target.a]\n[target.b]\n[[rule]]\nmatch = \"*.pic\"\nrecipe = \"painter\"\n[[rule]]\nmatch = \"*.pic\"\ntarget = \"b\"\nrecipe = \"copy\"\n")
	cookFor := func(target string) {
		t.Helper()
		g.tick()
		g.run.Targets = []string{target}
		g.cookAll()
	}
	cookFor("a")
	cookFor("b")
	g.write("m/one.list", "use t/a.pic y\nuse ../asks.pic z\n")
	cookFor("a")
	g.made("a/m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic y\n")
	g.made("a/asks.pic", "asks m/one.list\n<nil>: use ../asks.pic z\n")
	g.write("m/two.list", "use t/a.pic w\n")
	cookFor("b")
	cookFor("a")
	g.made("a/m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic y\n../two.list: use t/a.pic w\n")
}

// TestReasonsOfExtractsLeftOut cooks only some sources. The index must keep the other sources and
// their extracts.
func TestReasonsOfExtractsLeftOut(t *testing.T) {
	g := newGallery(t, "root.pic", "m/a.pic")
	g.write("m/one.list", "use a.pic x\n")
	g.write("m/two.list", "use a.pic y\n")
	g.cookAll()
	g.tick()
	g.run.Strict, g.run.Patterns = true, []string{"root.pic"} // Strict makes the run scan the whole tree
	g.cookAll()
	g.run.Patterns = nil
	g.tick()
	g.write("m/one.list", "use a.pic z\n")
	why, err := g.run.Why(t.Context(), "m/a.pic")
	g.must(err)
	if r := why[0].Reasons; len(r) != 1 || r[0].Subject != "m/one.list (uses)" {
		t.Errorf("%v", r)
	}
}

// TestExtractsEqualFromScratch makes random edits and partial runs, and compares the outputs with a
// cook from scratch.
func TestExtractsEqualFromScratch(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playExtracts(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func playExtracts(t *testing.T, r *rand.Rand) {
	g := newGallery(t)
	g.write("cook.toml", "[target.a]\n[target.b]\n[[rule]]\nmatch = \"*.pic\"\nrecipe = \"painter\"\n")
	pictures := []string{"a.pic", "m/a.pic", "m/b.pic", "m/t/a.pic", "m/t/asks.pic"}
	lists := []string{"one.list", "m/one.list", "m/two.list", "m/t/one.list", "n/one.list"}
	edit := func() {
		picture, list := pictures[r.IntN(len(pictures))], lists[r.IntN(len(lists))]
		switch r.IntN(9) {
		case 0:
			text := fmt.Sprintln(picture, r.IntN(2))
			if path.Base(picture) == "asks.pic" {
				text = fmt.Sprintf("asks %s\n", pathname.Relative(path.Dir(picture), list))
			}
			g.write(picture, text)
		case 1:
			os.Remove(g.asset(list))
		case 2:
			os.Remove(g.asset(picture))
		case 3:
			os.RemoveAll(g.asset("m/t"))
		case 4:
			os.Rename(g.asset("m"), g.asset("n"))
			os.Rename(g.asset("n"), g.asset("m"))
		case 5:
			os.Rename(g.asset(list), g.asset(lists[r.IntN(len(lists))]))
		default:
			text := fmt.Sprintf("shape %d\nuse %s %d\n", r.IntN(3), pathname.Relative(path.Dir(list), picture), r.IntN(3))
			if r.IntN(4) == 0 {
				text += fmt.Sprintln("all", r.IntN(2))
			}
			g.write(list, text)
		}
	}
	g.write("a.pic", "a\n")
	whole := g.run
	whole.Targets = []string{"all"}
	for range 30 {
		for range 1 + r.IntN(3) {
			edit()
		}
		g.run = whole
		switch r.IntN(6) {
		case 0:
			g.run.Targets = []string{[]string{"a", "b"}[r.IntN(2)]}
		case 1:
			g.run.Patterns = []string{[]string{"m", "a.pic", "m/t"}[r.IntN(3)]}
		case 2:
			g.run.Verify = true
		case 3:
			g.run.Strict = true
		}
		if r.IntN(2) == 0 {
			g.tick()
		}
		g.run.Cook(t.Context())
		g.run = whole
		if r.IntN(3) == 0 {
			edit()
		}
		g.compareWithScratch()
	}
}

// TestExtractsThatAreNotAsked expects an error for a recipe that reads extracts that Traits.Asks
// does not read.
func TestExtractsThatAreNotAsked(t *testing.T) {
	g := newGallery(t)
	g.write("a.pic", "sneaks\n")
	rec := &recorder{}
	g.run.Observer = rec
	if s := g.cook(); s.Failed.Assets != 1 || !strings.Contains(fmt.Sprint(rec.failed), "its method Asks does not return this dependency") {
		t.Errorf("%s: %q", s.String(), rec.failed)
	}
}

// TestSharedExtracts expects machines with different lists to share results if the extracts are
// equal.
func TestSharedExtracts(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	machine := func(list string) (cook.Summary, []string) {
		t.Helper()
		g := newGallery(t, "m/a.pic", "m/b.pic")
		g.run.Adjust = func(p *cook.Project) {
			p.Remote = cook.Remote{URL: url, Upload: "always", Program: os.Args[0], NoRace: true}
		}
		g.write("m/one.list", list)
		painted = nil
		before := server.Calls("GetActionResult")
		s := g.cookAll()
		if calls := server.Calls("GetActionResult") - before; len(painted) == 0 && calls != 2 {
			t.Errorf("%q: %d calls for 2 results", list, calls)
		}
		if files := readTree(t, filepath.Join(g.run.Cache, "v1", "reads")); len(files) > 0 {
			t.Errorf("%q: read sets %q", list, files)
		}
		slices.Sort(painted)
		want := "m/a.pic\n"
		if _, use, ok := strings.Cut(list, "use"); ok {
			want += "one.list: use" + use
		}
		g.made("m/a.pic", want)
		return s, painted
	}
	for _, tc := range []struct {
		list   string
		cooked []string
	}{
		{"shape 1\nuse a.pic x\n", []string{"m/a.pic", "m/b.pic"}},
		{"shape 2\nuse a.pic x\n", nil},
		{"shape 2\nuse a.pic y\n", []string{"m/a.pic"}},
		{"", []string{"m/a.pic"}},
		{"shape", nil},
	} {
		if s, got := machine(tc.list); !slices.Equal(got, tc.cooked) {
			t.Errorf("%q: cooked %q, want %q: %s", tc.list, got, tc.cooked, s.String())
		}
	}
}

// TestExtractsElsewhere cooks an asset on another machine, which must receive exactly the lists
// with extracts about the asset.
func TestExtractsElsewhere(t *testing.T) {
	f := newFarm(t, &remotetest.Server{}, map[string]string{
		"cook.toml": "[[rule]]\nmatch = \"*.pic\"\nrecipe = \"painter\"\n", ".cookignore": "*.list\n",
		"m/t/a.pic": "a", "m/t/b.pic": "b", "m/t/asks.pic": "asks ../one.list\n",
		"m/one.list": "use t/a.pic x\nuse t/asks.pic z\n", "m/t/two.list": "use a.pic y\n", "m/t/mute.list": strings.Repeat("shape ", 1<<20),
	})
	f.run.Recipes = append(f.run.Recipes, painterRecipe)
	s := f.cookAway(3)
	if executed(s) != 3 || s.Failed.Assets > 0 || len(f.rec.notes)+len(f.rec.failed) > 0 {
		t.Errorf("%d executed: %s; %q, %q", executed(s), s.String(), f.rec.notes, f.rec.failed)
	}
	f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
		for _, blob := range blobs {
			if bytes.HasPrefix(blob, []byte("shape ")) {
				t.Error("the list that says nothing was sent")
			}
		}
	})
	f.compare()
	f.write("m/one.list", "use t/asks.pic z\n")
	f.tick()
	if s = f.cookAway(0); s.Cooked.Assets != 1 || s.Restored.Assets > 0 {
		t.Errorf("a list edited: %s", s.String())
	}
	f.compare()
}
