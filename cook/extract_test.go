package cook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A painter copies its source and what lists in its folder and the one above say of it.
type painter struct{}

var (
	painting sync.Mutex
	painted  []string // what painters have cooked
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
	folders := []string{""}
	if job.InFolder() {
		folders = append(folders, "../")
	}
	for _, folder := range folders {
		lists, err := job.Glob(folder + "*.list")
		if err != nil {
			return err
		}
		for _, list := range lists {
			said, err := job.ReadExtract(list, "uses")
			if err != nil {
				return err
			}
			data = append(data, said...)
		}
	}
	return job.Write(0, data)
}

// usesOfList are the lines of a list that begin with "use" and a name.
var usesOfList = recipe.Extract{
	Name: "uses", Version: 1,
	Of: func(file io.ReaderAt, size int64) ([]byte, error) {
		text := make([]byte, size)
		if _, err := file.ReadAt(text, 0); err != nil && err != io.EOF {
			return nil, err
		}
		var uses []byte
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte("use ")) {
				uses = append(uses, line...)
			}
		}
		return uses, nil
	},
	About: func(uses []byte, subject string) (about []byte) {
		for line := range bytes.Lines(uses) {
			if bytes.HasPrefix(line, []byte("use "+subject+" ")) {
				about = append(about, line...)
			}
		}
		return about
	},
}

func newPainting(t *testing.T) *project {
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{
		{Name: "painter", Version: 1, New: func() recipe.Cooker { return &painter{} }, Extracts: []recipe.Extract{usesOfList}},
	}
	p.write(".cookignore", "*.list\n")
	p.write("cook.toml", "[[rule]]\nmatch = \"*.pic\"\nrecipe = \"painter\"\n")
	return p
}

// An edit of a file of which assets read an extract cooks those again of which it then says
// something else, and no others; one of which it says the same costs reading it.
func TestExtractsAreCookedMinimally(t *testing.T) {
	p := newPainting(t)
	for _, name := range []string{"root.pic", "m/a.pic", "m/t/a.pic", "m/t/b.pic", "m/t/deep/a.pic"} {
		p.write(name, name+"\n")
	}
	step := func(what string, want ...string) {
		t.Helper()
		p.tick()
		painted = nil
		p.cook()
		slices.Sort(painted)
		if !slices.Equal(painted, want) {
			t.Errorf("%s: cooked %q, want %q", what, painted, want)
		}
		for _, again := range []string{"again", "and again"} {
			painted = nil
			p.tick()
			if p.cook(); len(painted) > 0 {
				t.Errorf("%s, %s: cooked %q", what, again, painted)
			}
		}
	}
	made := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(p.run.Out, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", name, got, err, want)
		}
	}
	step("at first", "m/a.pic", "m/t/a.pic", "m/t/b.pic", "m/t/deep/a.pic", "root.pic")
	p.write("m/one.list", "shape 1\nuse a.pic x\nuse t/b.pic y\n")
	step("a list beside and above", "m/a.pic", "m/t/a.pic", "m/t/b.pic") // whose folders have another file that may say something
	made("m/a.pic", "m/a.pic\nuse a.pic x\n")
	made("m/t/a.pic", "m/t/a.pic\n")
	made("m/t/b.pic", "m/t/b.pic\nuse t/b.pic y\n")
	p.write("m/one.list", "shape 2 and more\nuse a.pic x\nuse t/b.pic y\n")
	step("another shape")
	p.write("m/one.list", "shape 3 and more\nuse a.pic x\nuse t/b.pic y\n")
	step("another shape of the same size")
	p.write("m/one.list", "shape 3 and more\nuse a.pic x\nuse t/b.pic z\n")
	step("another use", "m/t/b.pic")
	made("m/t/b.pic", "m/t/b.pic\nuse t/b.pic z\n")
	p.write("m/notes.txt", "nothing")
	step("another file in the folder")
	p.write("m/one.list", "use t/a.pic w\nuse t/b.pic z\n")
	step("another picture", "m/a.pic", "m/t/a.pic")
	made("m/a.pic", "m/a.pic\n")
	if err := os.Rename(filepath.Join(p.run.Dir, "m/t/b.pic"), filepath.Join(p.run.Dir, "m/t/c.pic")); err != nil {
		t.Fatal(err)
	}
	step("renamed", "m/t/b.pic") // its text
	made("m/t/c.pic", "m/t/b.pic\n")
	if err := os.Remove(filepath.Join(p.run.Dir, "m/one.list")); err != nil {
		t.Fatal(err)
	}
	step("no list")
	made("m/t/a.pic", "m/t/a.pic\n")
}

// Whatever the order, what extracts say ends in the same output folder as a cook from scratch.
func TestExtractsEqualFromScratch(t *testing.T) {
	p := newPainting(t)
	rng := uint32(1)
	next := func(n uint32) uint32 { rng = rng*1664525 + 1013904223; return rng >> 8 % n }
	pictures := []string{"a.pic", "m/a.pic", "m/b.pic", "m/t/a.pic"}
	lists := []string{"one.list", "m/one.list", "m/two.list", "m/t/one.list"}
	for range 40 {
		switch name := pictures[next(4)]; next(5) {
		case 0:
			p.write(name, fmt.Sprintln(name[len(name)-5:], next(2)))
		case 1:
			os.Remove(filepath.Join(p.run.Dir, lists[next(4)]))
		default:
			list := lists[next(4)]
			subject := pathname.Relative(path.Dir(list), name)
			p.write(list, fmt.Sprintf("shape %d\nuse %s %d\n", next(3), subject, next(3)))
		}
		p.compareWithScratch()
	}
}
