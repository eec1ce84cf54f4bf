package cook_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// onDisk returns the total size of the artifacts in an output directory.
func onDisk(t *testing.T, out string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".cook" {
			return fs.SkipDir
		}
		if d.Name() == "CACHEDIR.TAG" || d.Name() == ".gitignore" {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && !strings.HasPrefix(d.Name(), "manifest") {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func outBytes(list []survey.Asset) (bytes int64) {
	for i := range list {
		bytes += list[i].Out()
	}
	return bytes
}

// TestListAddsUp expects the listed sizes to equal the total size on the disk, and the listed
// changes to equal its growth.
func TestListAddsUp(t *testing.T) {
	p := sampleProject(t)
	p.run.Now = func() time.Time { return time.Now().Add(time.Hour) }
	before := int64(0)
	for _, step := range []struct {
		name string
		edit func()
	}{
		{"first", func() {}},
		{"grown", func() { p.write("data/level.json", `{"name": "`+strings.Repeat("x", 5000)+`"}`) }},
		{"shrunk", func() { p.write("data/level.json", `{}`) }},
		{"added", func() {
			for i := range 500 {
				p.write(fmt.Sprintf("more/%d.txt", i), strings.Repeat("y", i))
			}
		}},
		{"removed", func() { p.must(os.RemoveAll(p.asset("more"))) }},
		{"renamed", func() { p.must(os.Rename(p.asset("plain.txt"), p.asset("plainer.txt"))) }},
		{"other outputs", func() { p.write("cook.toml", "[[rule]]\nmatch = \"*.png\"\ncontainer = \"dds\"\n") }},
		{"failed", func() { p.write("data/level.json", `{`) }},
		{"mended", func() { p.write("data/level.json", `{"a":1}`) }},
		{"not UTF-8", func() { p.write("odd\xffname.txt", "odd") }},
	} {
		step.edit()
		p.tick()
		p.cook()
		list, err := survey.List(p.run.Out)
		p.must(err)
		now := outBytes(list)
		if disk := onDisk(t, p.run.Out); now != disk || disk == 0 {
			t.Errorf("%s: %d bytes are listed, %d on the disk", step.name, now, disk)
		}
		runs, err := survey.Runs(p.run.Out)
		p.must(err)
		d := runs[len(runs)-1].Detail
		if d == nil {
			t.Fatalf("%s: no detail", step.name)
		}
		grown := d.Rest.After - d.Rest.Before
		for _, s := range d.Sizes {
			grown += max(0, s.After) - max(0, s.Before)
			if s.Path == "more/499.txt" && (step.name == "added" && s.Before != -1 || step.name == "removed" && s.After != -1) {
				t.Errorf("%s: %+v", step.name, s)
			}
		}
		// A run whose only work fails is not in the history.
		if step.name != "failed" && grown != now-before {
			t.Errorf("%s: changes of %d bytes, grown by %d", step.name, grown, now-before)
		}
		if len(d.Sizes) > 150 || step.name == "added" && (len(d.Sizes) != 150 || d.Rest.Assets != 350 || d.Sizes[0].Path != "more/499.txt") {
			t.Errorf("%s: %d sizes and %+v", step.name, len(d.Sizes), d.Rest)
		}
		before = now
	}
}

// TestList expects the list to show how each asset was cooked, the reasons, and the dependencies.
func TestList(t *testing.T) {
	p := sampleProject(t)
	if _, err := survey.List(p.run.Out); !errors.Is(err, survey.ErrNotCooked) {
		t.Error(err)
	}
	p.cook()
	p.write("data/bad.json", "{")
	p.cook()
	list, err := survey.List(p.run.Out)
	p.must(err)
	runs, err := survey.Runs(p.run.Out)
	p.must(err)
	at := map[string]*survey.Asset{}
	for i := range list {
		at[list[i].Path] = &list[i]
	}
	if !slices.IsSortedFunc(list, func(a, b survey.Asset) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("not sorted")
	}
	wood := at["tex/wood.png"]
	if wood == nil || wood.Method.Recipe != "image" || wood.Method.Options["kind"] == "" || wood.Last.Outcome != execute.Cooked ||
		!wood.Last.At.Equal(runs[0].At) || len(wood.Last.Reasons) == 0 || wood.In == 0 || wood.CookTime == 0 || len(wood.Outputs) != 1 {
		t.Errorf("%+v", wood)
	}
	bad := at["data/bad.json"]
	if bad == nil || !bad.Failed || bad.Last.Outcome != execute.Failed || !strings.HasPrefix(bad.Last.Reasons[len(bad.Last.Reasons)-1], "error: ") {
		t.Errorf("%+v", bad)
	}
	reads := 0
	for _, l := range list {
		reads += len(l.Dependencies)
	}
	if reads == 0 {
		t.Error("no dependency is listed")
	}
}

// TestDetail expects the details of a run to show the work of each worker, in limited space.
func TestDetail(t *testing.T) {
	p := newProject(t)
	for i := range 2000 {
		p.write(fmt.Sprintf("small/%d.txt", i), fmt.Sprint(i))
	}
	p.write("big.png", string(oracle.Picture(1)))
	p.cook()
	runs, err := survey.Runs(p.run.Out)
	p.must(err)
	d := runs[0].Detail
	assets, busy := 0, time.Duration(0)
	ends := map[int]time.Duration{}
	for _, s := range d.Spans {
		if s.Begin < ends[s.Worker] || s.End < s.Begin || s.Busy > s.End-s.Begin || s.End > d.Took || s.Worker >= d.Workers {
			t.Fatalf("%+v of %v", s, d.Took)
		}
		ends[s.Worker] = s.End
		assets += s.Assets
		busy += s.Busy
	}
	if assets != 2001 || busy != d.Busy || len(d.Spans) > 400 || d.Workers != 2 || d.Took > runs[0].Took {
		t.Errorf("%d assets, busy for %v of %v, %d spans, %+v", assets, busy, d.Busy, len(d.Spans), d.Took)
	}
	if whole := d.Took * time.Duration(d.Workers); d.Busy+d.Idle > whole || d.Waited > d.Busy || d.Alone > d.Took {
		t.Errorf("%+v", d)
	}
	info, err := os.Stat(filepath.Join(p.run.Out, ".cook", "history"))
	p.must(err)
	if info.Size() > 100<<10 {
		t.Errorf("%d bytes for one run", info.Size())
	}
}
