package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// The test makes random edits. When a watcher has answered, the output directory must equal the
// output of a cook from scratch.
func TestWatcherEqualsFromScratch(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playBeside(t, seed) })
	}
}

func playBeside(t *testing.T, seed uint64) {
	w := newTree(t, map[string]string{"fixed.txt": "fixed", "a/0.json": "[0]", "b/1.txt": "[1]"})
	w.opt.Time = session.Time{} // system clock, so that fresh stamps are not trusted
	e := &editor{tree: w, Rand: rand.New(rand.NewPCG(seed, 1))}
	w.await(w.watch())
	for round := range 8 {
		for range 1 + e.IntN(4) {
			e.edit()
		}
		w.settle()
		if diff := cmp.Diff(w.fromScratch(round), outputs(t, w.opt.Place.Out)); diff != "" {
			t.Fatalf("from scratch, beside a watcher (-, +):\n%s\n%s", diff, strings.Join(e.log, "\n"))
		}
	}
}

// fromScratch returns the artifacts of a cook without a watcher.
func (w *tree) fromScratch(round int) map[string]string {
	w.t.Helper()
	opt := w.opt
	opt.Place.Out = filepath.Join(w.dir, fmt.Sprint("scratch", round))
	opt.Place.Cache = opt.Place.Out + "-store"
	s, err := session.Open(opt, session.Write)
	w.must(err)
	defer s.Close()
	done, err := pass.Run(w.t.Context(), s, nil)
	if err != nil || done.Stats.Failures() > 0 {
		w.t.Fatalf("from scratch: %+v, %v", done.Stats, err)
	}
	return outputs(w.t, opt.Place.Out)
}

// outputs returns the files of an output directory.
func outputs(t *testing.T, out string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == manifest.StateDir:
			return fs.SkipDir
		case d.IsDir():
			files[name[len(out):]+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(name)
		files[name[len(out):]] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An editor edits a tree at random.
type editor struct {
	*tree
	*rand.Rand
	log []string
}

// name returns a random file name. The file may not exist.
func (e *editor) name() string {
	kinds := [...]string{"json", "txt"}
	return e.asset(fmt.Sprintf("%c/%d.%s", 'a'+rune(e.IntN(3)), e.IntN(2), kinds[e.IntN(2)]))
}

// edit makes a random edit. If the edit is impossible, it does nothing.
func (e *editor) edit() {
	var err error
	a, b := e.name(), e.name()
	what := e.IntN(9)
	switch what {
	case 0, 1, 7: // edit in place, which changes other links to the file too
		text := fmt.Sprintf("[%d]", e.IntN(1000))
		e.must(os.MkdirAll(filepath.Dir(a), 0o777))
		e.must(os.WriteFile(a, []byte(text), 0o666))
	case 2:
		err = os.Remove(a)
	case 3:
		err = os.Rename(a, b)
	case 4, 8:
		err = os.Link(a, b)
	case 5:
		err = os.Symlink("../fixed.txt", filepath.Join(filepath.Dir(a), "link.txt"))
	case 6:
		err = os.Rename(filepath.Dir(a), filepath.Dir(b))
	}
	e.log = append(e.log, fmt.Sprintln(what, a, b, err))
	var path *fs.PathError
	var link *os.LinkError
	if err != nil && !errors.As(err, &path) && !errors.As(err, &link) {
		e.t.Fatal(err)
	}
}
