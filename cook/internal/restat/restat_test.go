package restat_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

func TestNothingDiffers(t *testing.T) {
	w := smallTree(t)
	found := w.expect(w.options(w.live()))
	if d := cmp.Diff(smallCounts, found.Counts); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDifferences(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(w *tree)
		want []string
	}{
		"source touched":   {func(w *tree) { w.touch("assets/x/c.txt") }, []string{"changed asset x/c.txt"}},
		"source edited":    {func(w *tree) { w.write("assets/a.txt", "other") }, []string{"changed asset a.txt"}},
		"same size":        {func(w *tree) { w.write("assets/a.txt", "CONTENT OF assets/a.txt") }, []string{"changed asset a.txt"}},
		"mode":             {func(w *tree) { w.must(os.Chmod(w.name("assets/a.txt"), 0o400)) }, []string{"changed asset a.txt"}},
		"rules":            {func(w *tree) { w.touch("assets/x/cook.toml") }, []string{"changed config x/cook.toml"}},
		"patterns":         {func(w *tree) { w.touch("assets/.cookignore") }, []string{"changed ignore .cookignore"}},
		"output touched":   {func(w *tree) { w.touch("out/x/y/d.txt.out") }, []string{"changed made x/y/d.txt.out"}},
		"output removed":   {func(w *tree) { w.remove("out/x/c.txt.out") }, []string{"missing made x/c.txt.out"}},
		"outputs removed":  {func(w *tree) { w.remove("out/x") }, []string{"missing made x/c.txt.out", "missing made x/y/d.txt.out"}},
		"all outputs gone": {func(w *tree) { w.remove("out"); w.mkdir("out") }, []string{"missing made a.txt.out", "missing made b.txt.out", "missing made x/c.txt.out", "missing made x/y/d.txt.out"}},
		"directory for output": {
			func(w *tree) { w.remove("out/a.txt.out"); w.mkdir("out/a.txt.out") },
			[]string{"changed made a.txt.out"},
		},
		"file for outputs": {
			func(w *tree) { w.remove("out/x"); w.write("out/x", "") },
			[]string{"missing made x/c.txt.out", "missing made x/y/d.txt.out"},
		},
		"junk among outputs":  {func(w *tree) { w.write("out/junk", ""); w.write("out/x/junk", "") }, nil},
		"dependency touched":  {func(w *tree) { w.touch("assets/lib/o.inc") }, []string{"changed other lib/o.inc"}},
		"dependency removed":  {func(w *tree) { w.remove("assets/lib/o.inc") }, []string{"missing other lib/o.inc"}},
		"tool touched":        {func(w *tree) { w.touch("tools/cc") }, []string{"changed other tools/cc"}},
		"tool removed":        {func(w *tree) { w.remove("tools/cc") }, []string{"missing other tools/cc"}},
		"tools removed":       {func(w *tree) { w.remove("tools") }, []string{"missing other tools/cc"}},
		"beside the tool":     {func(w *tree) { w.write("tools/ld", "") }, nil},
		"beside a dependency": {func(w *tree) { w.write("assets/lib/q.inc", "") }, nil},

		// Each change of a name changes the stamp of its directory. Find does not report
		// differences that a listing will find.
		"source removed":    {func(w *tree) { w.remove("assets/a.txt") }, []string{"list ./"}},
		"source added":      {func(w *tree) { w.write("assets/z/new.txt", "") }, []string{"list ./z"}},
		"source replaced":   {func(w *tree) { w.write("n", ""); w.rename("n", "assets/x/c.txt") }, []string{"list ./x"}},
		"sources swapped":   {func(w *tree) { w.rename("assets/a.txt", "t"); w.rename("assets/b.txt", "assets/a.txt") }, []string{"list ./"}},
		"added and touched": {func(w *tree) { w.write("assets/x/new.txt", ""); w.touch("assets/x/c.txt") }, []string{"list ./x"}},
		"added and touched elsewhere": {
			func(w *tree) { w.write("assets/x/new.txt", ""); w.touch("assets/x/y/d.txt"); w.touch("assets/x/p.inc") },
			[]string{"changed asset x/y/d.txt", "changed other x/p.inc", "list ./x"},
		},
		"junk":                {func(w *tree) { w.write("assets/z/.DS_Store", "") }, []string{"list ./z"}},
		"came and went":       {func(w *tree) { w.write("assets/z/t", ""); w.tick(); w.remove("assets/z/t") }, []string{"list ./z"}},
		"listed other":        {func(w *tree) { w.remove("assets/x/p.inc") }, []string{"list ./x", "missing other x/p.inc"}},
		"absent appears":      {func(w *tree) { w.write("assets/x/no.inc", "") }, []string{"appeared absent x/no.inc", "list ./x"}},
		"absent directory":    {func(w *tree) { w.mkdir("assets/nowhere") }, []string{"list ./"}},
		"absent in directory": {func(w *tree) { w.write("assets/nowhere/no.inc", "") }, []string{"appeared absent nowhere/no.inc", "list ./"}},
		"absent below what was a file": {
			func(w *tree) { w.remove("assets/a.txt"); w.write("assets/a.txt/no.inc", "") },
			[]string{"appeared absent a.txt/no.inc", "list ./"},
		},
		"directory added":   {func(w *tree) { w.mkdir("assets/z/new") }, []string{"list ./z"}},
		"directory mode":    {func(w *tree) { w.must(os.Chmod(w.name("assets/z"), 0o700)) }, []string{"list ./z"}},
		"directory renamed": {func(w *tree) { w.rename("assets/x", "assets/v") }, []string{"gone ./x", "gone ./x/y", "list ./", "missing other x/p.inc"}},
		"directory removed": {func(w *tree) { w.remove("assets/x/y") }, []string{"gone ./x/y", "list ./x"}},
		"directory replaced": {
			func(w *tree) { w.rename("assets/z", "old"); w.write("assets/z/e.txt", "content of assets/z/e.txt") },
			[]string{"list ./", "list ./z"},
		},
		"file for directory": {func(w *tree) { w.remove("assets/x/y"); w.write("assets/x/y", "") }, []string{"gone ./x/y", "list ./x"}},
		"directory for file": {func(w *tree) { w.remove("assets/a.txt"); w.mkdir("assets/a.txt") }, []string{"list ./"}},
		"another tree": {
			func(w *tree) { w.remove("assets"); w.mkdir("assets") },
			[]string{"gone ./x", "gone ./x/y", "gone ./z", "list ./", "missing other lib/o.inc", "missing other x/p.inc"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "directory mode" {
				t.Skip("directories have no permissions there")
			}
			w := smallTree(t)
			live := w.live()
			tc.do(w)
			found := w.expect(w.options(live), tc.want...)
			for _, f := range found.Files {
				place := live.Path(f.Ref)
				switch f.Role {
				case index.Made:
					place = w.name("out/" + place)
				case index.Asset, index.Config, index.Ignore, index.Absent:
					place = w.name("assets/" + place)
				default:
					continue
				}
				var now scan.Stamp
				if f.Kind != restat.Missing {
					now = w.stamp(place)
				}
				if f.Now != now || f.Kind == restat.Changed && f.Known == f.Now {
					t.Errorf("%s: known %+v, now %+v, want %+v", place, f.Known, f.Now, now)
				}
			}
		})
	}
}

func TestHardLink(t *testing.T) {
	w := smallTree(t)
	w.link("assets/a.txt", "elsewhere")
	live := w.live()
	w.write("elsewhere", "CONTENT OF assets/a.txt")
	w.expect(w.options(live), "changed asset a.txt")
}

// An unchanged stamp proves nothing if the index records that it was too fresh.
func TestStampsThatProveNothing(t *testing.T) {
	w := smallTree(t)
	w.unsettled = map[string]bool{"a.txt": true, "x/p.inc": true, "x/c.txt.out": true}
	live := w.live()
	found := w.expect(w.options(live), "changed asset a.txt", "changed other x/p.inc", "changed made x/c.txt.out")
	for _, f := range found.Files {
		if f.Known != f.Now {
			t.Errorf("%s: known %+v, now %+v", w.shown(live, f), f.Known, f.Now)
		}
	}
	w.unsettled = map[string]bool{"z/e.txt": true}
	w.fresh, w.odd = map[string]bool{"x": true}, map[string]bool{"z": true}
	found = w.expect(w.options(w.live()), "list ./x", "list ./z")
	want := smallCounts
	want.Stats -= 2 + 2 + 1 // stat calls of 2 directories, c.txt, cook.toml, e.txt
	if found.Counts != want {
		t.Errorf("counts %+v, want %+v", found.Counts, want)
	}
}

func TestVerify(t *testing.T) {
	w := smallTree(t)
	opt := w.options(w.live())
	opt.IgnoreStamps = true
	w.expect(opt, "changed asset a.txt", "changed asset b.txt", "changed asset x/c.txt", "changed asset x/y/d.txt", "changed asset z/e.txt",
		"changed config cook.toml", "changed config x/cook.toml", "changed ignore .cookignore",
		"changed other lib/o.inc", "changed other x/p.inc", "changed other tools/cc",
		"changed made a.txt.out", "changed made b.txt.out", "changed made x/c.txt.out", "changed made x/y/d.txt.out")
}

func TestOnly(t *testing.T) {
	w := smallTree(t)
	opt := w.options(w.live())
	w.remove("out")
	w.mkdir("out")
	w.touch("assets/a.txt")
	w.touch("assets/x/c.txt")
	w.write("assets/z/new.txt", "")
	w.touch("assets/x/y/d.txt")
	opt.Only = func(f *index.Folder) bool { return f.Tree == index.Assets && f.Path() == "x" }
	found := w.expect(opt, "changed asset x/c.txt")
	// Stats counts the directory, c.txt, cook.toml, p.inc and no.inc.
	if want := (restat.Counts{Opened: 1, Stats: 5}); found.Counts != want {
		t.Errorf("counts %+v, want %+v", found.Counts, want)
	}
	opt.Only = func(*index.Folder) bool { return false }
	if found := w.expect(opt); found.Counts != (restat.Counts{}) {
		t.Errorf("counts %+v of nothing", found.Counts)
	}
}

func TestFoldersThatCannotBeOpened(t *testing.T) {
	w := smallTree(t)
	live := w.live()
	for name, opt := range map[string]restat.Options{
		"assets": {Index: live, Assets: w.name("nothing"), Out: w.name("out")},
		"out":    {Index: live, Assets: w.name("assets"), Out: w.name("nothing")},
	} {
		if found, err := restat.Find(t.Context(), opt); !errors.Is(err, fs.ErrNotExist) || found != nil {
			t.Errorf("%s: found %v, error %v", name, found, err)
		}
		some := &restat.Found{Files: []restat.File{{Kind: restat.Changed}}}
		if err := restat.Compare(t.Context(), opt, some); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: compared with error %v", name, err)
		}
	}
}

// A failed lookup is an error, because the file may have changed. The test uses names that the
// system refuses.
func TestWhatCannotBeTold(t *testing.T) {
	for name, tc := range map[string]struct{ absent, want string }{
		"leads outside": {"../tools/cc", "open ../tools: "},
		"no name":       {"x/..", "stat x/..: "},
	} {
		t.Run(name, func(t *testing.T) {
			w := smallTree(t)
			w.absent = []string{tc.absent}
			opt := w.options(w.live())
			for _, opt.Workers = range []int{1, 8} {
				found, err := restat.Find(t.Context(), opt)
				if !errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), tc.want) || found != nil {
					t.Errorf("found %v, error %q, want %q", found, err, tc.want)
				}
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	w := smallTree(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := restat.Find(ctx, w.options(w.live())); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("found %v, error %v", found, err)
	}
	empty := &tree{TB: t, base: t.TempDir()}
	empty.mkdir("assets")
	live := empty.live()
	if found := empty.sweep(empty.options(live)); found.Counts != (restat.Counts{Opened: 1, Stats: 1}) {
		t.Errorf("counts %+v of an empty directory", found.Counts)
	}
	opt := empty.options(live)
	opt.Only = func(*index.Folder) bool { return false }
	if _, err := restat.Find(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
