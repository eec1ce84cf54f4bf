package cook_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
)

const (
	cheapFolders = 10  // besides the asset folder itself
	cheapSize    = 100 // bytes of each source
)

// A pantry is a tree of many small files, cooked once. By its clock every stamp
// is old enough to be trusted.
type pantry struct {
	testing.TB
	dir   string
	files int
	opt   cook.Options
}

func newPantry(t testing.TB, files int) *pantry {
	p := &pantry{TB: t, dir: t.TempDir(), files: files}
	for i := range files {
		p.write(p.source(i), fmt.Sprintf("%0*d", cheapSize, i))
	}
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n")
	p.write(".cookignore", "*.ignored\n")
	p.opt = cook.Options{
		Dir: filepath.Join(p.dir, "assets"), Cache: filepath.Join(p.dir, "store"), Workers: 2,
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	}
	if s := p.cook(); s.Cooked.Assets != files {
		t.Fatalf("%d files: %s", files, s.Line())
	}
	p.tick()
	return p
}

func (p *pantry) source(i int) string { return fmt.Sprintf("%d/%04d.txt", i%cheapFolders, i) }

func (p *pantry) write(name, text string) {
	p.Helper()
	name = filepath.Join(p.dir, "assets", name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

func (p *pantry) cook() report.Summary {
	p.Helper()
	s, err := cook.Cook(p.Context(), p.opt)
	if err != nil {
		p.Fatal(err)
	}
	return s
}

// tick waits until the file system gives other times than it gave until now.
func (p *pantry) tick() {
	p.Helper()
	change := func() scan.Stamp {
		name := filepath.Join(p.dir, "tick")
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			p.Fatal(err)
		}
		defer os.Remove(name)
		info, err := os.Lstat(name)
		if err != nil {
			p.Fatal(err)
		}
		s := scan.StampOf(info)
		return scan.Stamp{MTime: s.MTime, CTime: s.CTime}
	}
	for begin := change(); change() == begin; {
	}
}

// stamps are those of all files of the output folder. Of folders the state
// folder's own changes with each new file in it.
func (p *pantry) stamps() map[string]scan.Stamp {
	p.Helper()
	all := map[string]scan.Stamp{}
	out := filepath.Join(p.dir, "cooked")
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" { // it holds the process ID
			return err
		}
		rel, err := filepath.Rel(out, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		all[filepath.ToSlash(rel)] = scan.StampOf(info)
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return all
}

// written lists what has another stamp now, and how many bytes that is in the
// state folder.
func (p *pantry) written(before map[string]scan.Stamp) (names []string, state int64) {
	p.Helper()
	after := p.stamps()
	for _, name := range list(p, filepath.Join(p.dir, "cooked"), false) {
		if after[name] != before[name] {
			names = append(names, name)
		}
	}
	for name, stamp := range after {
		if strings.HasPrefix(name, ".cook/") && before[name] != stamp {
			names = append(names, strings.SplitAfter(name, "-")[0]) // less the ID
			if name != ".cook/history" {
				state += stamp.Size
			} else if grown := stamp.Size - before[name].Size; grown > 1000 {
				p.Errorf("the history grew by %d bytes", grown)
			}
		}
	}
	return names, state
}

// readTree reads what lies below a folder.
func readTree(t testing.TB, dir string) cooktest.Tree {
	t.Helper()
	tree, err := cooktest.ReadTree(dir)
	if err != nil {
		t.Fatalf("read %s: %v", dir, err)
	}
	return tree
}

// list returns the folders or the files below a folder, sorted.
func list(t testing.TB, dir string, folders bool) []string {
	t.Helper()
	var names []string
	for name := range readTree(t, dir) {
		if strings.HasSuffix(name, "/") == folders {
			names = append(names, strings.TrimSuffix(name, "/"))
		}
	}
	slices.Sort(names)
	return names
}

// After one edit what is read and written does not grow with the tree: one
// source, one output, the changes of the index. The index itself is left alone.
// The manifest is another matter.
func TestOneEditIsCheap(t *testing.T) {
	type cost struct {
		checksummed int
		bytes       int64
		state       int64
	}
	costs := map[int]cost{}
	for _, files := range []int{100, 3000} {
		p := newPantry(t, files)
		for round := range 3 {
			before := p.stamps()
			p.write(p.source(7), fmt.Sprintf("%0*d", cheapSize, -1-round))
			p.tick()
			s := p.cook()
			if s.Cooked.Assets != 1 || s.ByStamp.Assets != files-1 || s.Found.Assets != files {
				t.Errorf("%d files: %s", files, s.Line())
			}
			names, state := p.written(before)
			slices.Sort(names)
			if got, want := strings.Join(names, " "), ".cook/changes- .cook/history 7/0007.txt manifest.json"; got != want {
				t.Errorf("%d files, round %d: %s were written, want %s", files, round, got, want)
			}
			now := cost{s.Checksummed.Assets, s.Checksummed.In, state}
			if round > 0 && now != costs[files] {
				t.Errorf("%d files, round %d: cost %+v, was %+v", files, round, now, costs[files])
			}
			costs[files] = now
			p.tick()
		}
	}
	few, many := costs[100], costs[3000]
	if few != many {
		t.Errorf("100 files cost %+v, 3000 cost %+v", few, many)
	}
	// The source is read by the sweep and by the survey, which both see that it
	// changed, and once more to have its blob ID.
	if few.checksummed > 3 || few.bytes > 3*cheapSize {
		t.Errorf("%d files of %d bytes were read", few.checksummed, few.bytes)
	}
	// Most of it are the headers of the changes and of the index in them.
	if few.state > 4096 {
		t.Errorf("%d bytes of state were written", few.state)
	}
}

// Touched sources are read once each; nothing is cooked, and the next run trusts
// their stamps again.
func TestTouchedAreReadOnce(t *testing.T) {
	for _, files := range []int{100, 1000} {
		p := newPantry(t, files)
		before := p.stamps()
		for i := range files {
			when := time.Unix(int64(1+i), 0)
			if err := os.Chtimes(filepath.Join(p.dir, "assets", p.source(i)), when, when); err != nil {
				t.Fatal(err)
			}
		}
		p.tick()
		s := p.cook()
		if s.ByChecksum.Assets != files || s.Found.Assets != files || s.Checksummed.Assets != files || s.Checksummed.In != int64(files)*cheapSize {
			t.Errorf("%d files: %s; %d files of %d bytes were read", files, s.Line(), s.Checksummed.Assets, s.Checksummed.In)
		}
		names, _ := p.written(before)
		for _, name := range names {
			if !strings.HasPrefix(name, ".cook/") {
				t.Errorf("%d files: %s was written", files, name)
			}
		}
		before = p.stamps()
		if s := p.cook(); s.ByStamp.Assets != files || s.Checksummed.Assets != 0 {
			t.Errorf("%d files, once more: %s; %d files were read", files, s.Line(), s.Checksummed.Assets)
		}
		if names, _ := p.written(before); len(names) > 0 {
			t.Errorf("%d files, once more: %q were written", files, names)
		}
	}
}
