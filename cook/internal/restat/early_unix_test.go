//go:build linux || darwin

package restat_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// changedTree returns a tree with touched files, and with files that changed in every possible way.
func changedTree(t *testing.T) (*tree, *index.Index) {
	w := &tree{TB: t, base: t.TempDir(), unsettled: map[string]bool{"d/03": true}}
	for i := range 16 {
		source, output := fmt.Sprintf("assets/d/%02d", i), fmt.Sprintf("out/d/%02d.out", i)
		w.write(source, "content of "+source)
		w.write(output, "content of "+output)
	}
	w.write("assets/d/large", strings.Repeat("x", 2*buffer))
	w.write("assets/l/00", "source")
	w.write("out/l/00.out", "output")
	live := w.live()
	for i := range 16 {
		if i != 3 && i != 13 {
			w.touch(fmt.Sprintf("assets/d/%02d", i))
		}
	}
	w.touch("assets/d/large")
	w.write("assets/d/05", "CONTENT OF assets/d/05")
	w.write("assets/d/06", "content of assets/d/06 and more")
	w.touch("out/d/04.out")
	w.write("out/d/05.out", "CONTENT OF out/d/05.out")
	w.write("out/d/06.out", "")
	w.remove("out/d/08.out")
	w.remove("out/d/10.out")
	w.must(os.Symlink("00.out", w.name("out/d/10.out")))
	w.remove("out/d/11.out")
	w.mkdir("out/d/11.out")
	w.remove("out/d/12.out")
	w.must(syscall.Mkfifo(w.name("out/d/12.out"), 0o666))
	// Find must not read a file behind a link.
	w.rename("out/l", "elsewhere")
	w.must(os.Symlink(w.name("elsewhere"), w.name("out/l")))
	return w, live
}

// Find returns the same differences whether it compares the content of a small file immediately or
// afterwards.
func TestReadingEarly(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		w, live := changedTree(t)
		opt := w.options(live)
		opt.IgnoreStamps = ignore
		for _, opt.Workers = range []int{1, 4} {
			first := w.sweep(opt)
			early := opt
			early.Checksum = function(t)
			found := w.sweep(early)
			if !slices.IsSortedFunc(found.Files, func(a, b restat.File) int { return int(a.Ref) - int(b.Ref) }) || !slices.IsSorted(found.Reread) {
				t.Errorf("not by ref: %+v, %v", found.Files, found.Reread)
			}
			if found.Read == 0 {
				t.Error("nothing is read early")
			}
			for _, f := range []*restat.Found{first, found} {
				w.must(restat.Compare(t.Context(), early, f))
			}
			if d := cmp.Diff(outcome(first), outcome(found)); d != "" {
				t.Errorf("stamps ignored: %v, %d workers: -late +early:\n%s", ignore, opt.Workers, d)
			}
			if first.Read != found.Read || first.Bytes != found.Bytes {
				t.Errorf("%d files of %d bytes were read early, %d of %d late", found.Read, found.Bytes, first.Read, first.Bytes)
			}
			if !ignore && len(found.Reread) > 0 {
				t.Errorf("read again: %v", found.Reread)
			}
		}
	}
}

// The test changes the recorded contents in the index. A file with the old content then counts as
// changed.
func TestReadingEarlyAfterEdits(t *testing.T) {
	w := &tree{TB: t, base: t.TempDir()}
	for _, name := range []string{"a", "b", "c"} {
		w.write("assets/"+name, "first of "+name)
	}
	summer := hashing.NewSummer(function(t))
	live := w.edited(func(x *index.Index, n *index.Next) {
		for _, f := range x.Files().Below(".") {
			sum := summer.SumBytes([]byte("other of "+f.Path), hashing.WantSum|hashing.WantDigest)
			f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
			n.PutFile(f)
		}
	})
	opt := w.options(live)
	opt.IgnoreStamps, opt.Checksum = true, function(t)
	found := w.sweep(opt)
	if len(found.Reread) > 0 || len(found.Files) != 3 || found.Read != 3 {
		t.Errorf("same: %v, different: %+v, %d files read", found.Reread, found.Files, found.Read)
	}
	for _, name := range []string{"a", "b", "c"} {
		w.write("assets/"+name, "other of "+name)
	}
	found = w.sweep(opt)
	for _, f := range found.Files {
		if !f.Same {
			t.Errorf("not the same: %+v", f)
		}
	}
	if n := len(found.Reread) + len(found.Files); n != 3 || found.Read != 3 {
		t.Errorf("%d of %d files read", n, found.Read)
	}
}

// outcome returns how each file differs from the index.
func outcome(found *restat.Found) map[index.Ref]restat.File {
	all := map[index.Ref]restat.File{}
	for _, f := range found.Files {
		ref := f.Ref
		if f.Compared = false; f.Same && f.Now == f.Known {
			f = restat.File{Same: true} // the same form as a file in Reread
		}
		all[ref] = f
	}
	for _, ref := range found.Reread {
		all[ref] = restat.File{Same: true}
	}
	return all
}

func TestReadingAllocatesNothing(t *testing.T) {
	allocs := func(files int) float64 {
		w := &tree{TB: t, base: t.TempDir()}
		for i := range files {
			w.write(fmt.Sprintf("assets/d/%d", i), "text")
		}
		opt := w.options(w.live())
		opt.IgnoreStamps, opt.Checksum = true, function(t)
		found := w.sweep(opt)
		if len(found.Reread) != files || len(found.Files) != 0 || found.Read != int64(files) {
			t.Fatalf("%d files: %d are the same, %d differ, %d were read", files, len(found.Reread), len(found.Files), found.Read)
		}
		return testing.AllocsPerRun(5, func() { w.sweep(opt) })
	}
	// The list of equal files grows, which takes a few more allocations.
	if few, many := allocs(100), allocs(2000); many > few+10 {
		t.Errorf("%v allocations for 100 files, %v for 2000", few, many)
	}
}
