package restat_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// compare compares the content of all found files and returns the unchanged ones.
func (w *tree) compare(opt restat.Options, found *restat.Found, files, bytes int64) []string {
	w.Helper()
	for i := range found.Files {
		f := &found.Files[i]
		f.Compared, f.Same, f.Busy = false, false, false // clears the results of the last comparison
	}
	found.Read, found.Bytes = 0, 0
	opt.Checksum = function(w)
	w.must(restat.Compare(w.Context(), opt, found))
	list := []string{}
	for _, f := range found.Files {
		if f.Same {
			list = append(list, w.shown(opt.Index, f))
		}
	}
	if found.Read != files || found.Bytes != bytes {
		w.Errorf("read %d files of %d bytes, want %d of %d", found.Read, found.Bytes, files, bytes)
	}
	slices.Sort(list)
	return list
}

const buffer = 256 << 10

func TestCompare(t *testing.T) {
	content := func(size int) string { return strings.Repeat("0123456789abcdef", size/16+1)[:size] }
	for _, size := range []int{0, 1, 4096, buffer - 1, buffer, buffer + 1, 3*buffer + 7} {
		was := content(size)
		for name, tc := range map[string]struct {
			before, after func(w *tree) // changes before and after the sweep
			same          bool
			files, bytes  int
		}{
			"touched":              {before: func(w *tree) { w.touch("assets/f") }, same: true, files: 1, bytes: size},
			"written again":        {before: func(w *tree) { w.write("assets/f", was) }, same: true, files: 1, bytes: size},
			"grown":                {before: func(w *tree) { w.write("assets/f", was+"x") }},
			"gone since":           {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.remove("assets/f") }},
			"directory since":      {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.remove("assets/f"); w.mkdir("assets/f") }},
			"directory gone since": {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.remove("assets"); w.mkdir("assets") }},
			"grown since":          {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.write("assets/f", was+"x") }, files: 1, bytes: size + 1},
			"much grown since":     {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.write("assets/f", was+content(2*buffer)) }, files: 1, bytes: size + 2*buffer},
			"to the buffer's":      {before: func(w *tree) { w.touch("assets/f") }, after: func(w *tree) { w.write("assets/f", content(buffer+size)) }, files: 1, bytes: buffer + size},
			"grown and all back":   {before: func(w *tree) { w.write("assets/f", was+"x"); w.write("assets/f", was) }, same: true, files: 1, bytes: size},
		} {
			t.Run(fmt.Sprint(size, " ", name), func(t *testing.T) {
				w := &tree{TB: t, base: t.TempDir()}
				w.write("assets/f", was)
				opt := w.options(w.live())
				tc.before(w)
				found := w.sweep(opt)
				if len(found.Files) != 1 {
					t.Fatalf("found %+v", found)
				}
				if tc.after != nil {
					tc.after(w)
				}
				want := []string{}
				if tc.same {
					want = []string{"asset f"}
				}
				if d := cmp.Diff(want, w.compare(opt, found, int64(tc.files), int64(tc.bytes))); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
			})
		}
		if size == 0 {
			continue
		}
		for name, tc := range map[string]struct {
			now         string
			since       bool
			files, size int
		}{
			"last byte":       {now: was[:size-1] + "x", files: 1, size: size},
			"first byte":      {now: "x" + was[1:], files: 1, size: size},
			"last byte since": {now: was[:size-1] + "x", since: true, files: 1, size: size},
			"shrunk":          {now: was[:size-1]},
			"shrunk since":    {now: was[:size-1], since: true, files: 1, size: size - 1},
			"emptied since":   {now: "", since: true, files: 1},
		} {
			t.Run(fmt.Sprint(size, " ", name), func(t *testing.T) {
				w := &tree{TB: t, base: t.TempDir()}
				w.write("assets/f", was)
				opt := w.options(w.live())
				w.touch("assets/f")
				found := w.sweep(opt)
				w.write("assets/f", tc.now)
				if !tc.since {
					found = w.sweep(opt)
				}
				if same := w.compare(opt, found, int64(tc.files), int64(tc.size)); len(same) > 0 {
					t.Errorf("%q are the same", same)
				}
			})
		}
	}
}

// Compare reads files of every role, each in its directory. It reads no missing or new files.
func TestCompareRoles(t *testing.T) {
	w := smallTree(t)
	live := w.live()
	opt := w.options(live)
	same := []string{"asset a.txt", "config x/cook.toml", "ignore .cookignore", "made x/c.txt.out", "other lib/o.inc", "other tools/cc"}
	size := 0
	for _, name := range []string{"assets/a.txt", "assets/x/cook.toml", "assets/.cookignore", "out/x/c.txt.out", "assets/lib/o.inc", "tools/cc"} {
		w.touch(name)
		size += len("content of " + name)
	}
	w.write("assets/b.txt", "CONTENT OF assets/b.txt") // different content of the same size
	w.write("out/a.txt.out", "short")
	w.remove("out/x/y/d.txt.out")
	w.write("assets/nowhere/no.inc", "")
	found := w.sweep(opt)
	// Add the files at the root of the asset directory, which otherwise only a listing would
	// report.
	found.Files = append(found.Files, files(live, "a.txt", "b.txt", ".cookignore")...)
	for i := range found.Files {
		if f := &found.Files[i]; f.Now.Size == 0 && f.Kind == restat.Changed {
			f.Now = w.stamp(w.name("assets/" + live.Path(f.Ref)))
		}
	}
	restat.Sort(found.Files)
	got := w.compare(opt, found, 7, int64(size+len("content of assets/b.txt")))
	if d := cmp.Diff(same, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// files returns files of the asset tree as recorded in the index.
func files(live *index.Index, places ...string) []restat.File {
	var list []restat.File
	for ref := range index.Ref(live.Nodes()) {
		if n := live.Node(ref); slices.Contains(places, live.Path(ref)) {
			list = append(list, restat.File{Ref: ref, Role: n.Role, Known: n.Stamp})
		}
	}
	return list
}

// TestCompareMany compares many files with several workers. Some of the files are in the changes of
// the index.
func TestCompareMany(t *testing.T) {
	w := &tree{TB: t, base: t.TempDir()}
	want, size := map[string]bool{}, int64(0)
	content := map[string]string{}
	add := func(place string) {
		content[place] = strings.Repeat(place, 1+len(content)%2000)
		w.write("assets/"+place, content[place])
	}
	for i := range 700 {
		add(fmt.Sprintf("%d/%d", i%2, i))
	}
	live := w.edited(func(x *index.Index, l *index.Next) {
		for i := range 300 {
			place := fmt.Sprintf("1/new%d", i)
			add(place)
			l.PutFile(w.file(w.name("assets/"+place), place, index.Asset))
		}
		l.PutFolder(scan.Folder{Path: "1", Real: "1", Stamp: w.stamp(w.name("assets/1"))}, true)
	})
	for i, place := range slices.Sorted(maps.Keys(content)) {
		if i%3 == 0 {
			w.write("assets/"+place, "?"+content[place][1:])
		} else {
			w.touch("assets/" + place)
			want["asset "+place] = true
		}
		size += int64(len(content[place]))
	}
	opt := w.options(live)
	for _, opt.Workers = range []int{1, 3} {
		found := w.sweep(opt)
		if d := cmp.Diff(slices.Sorted(maps.Keys(want)), w.compare(opt, found, 1000, size)); d != "" {
			t.Errorf("%d workers: -want +got:\n%s", opt.Workers, d)
		}
	}
}

func TestCompareInterrupted(t *testing.T) {
	w := smallTree(t)
	opt := w.options(w.live())
	opt.IgnoreStamps = true
	found := w.sweep(opt)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opt.Checksum = function(t)
	if err := restat.Compare(ctx, opt, found); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if found.Read != 0 {
		t.Errorf("%d files were read", found.Read)
	}
}
