package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/hashtest"
	"github.com/assetcook/assetcook/internal/leaktest"
)

const both = hashing.WantSum | hashing.WantDigest

func summer() (*hashing.Summer, hashing.Func) {
	f, _ := hashing.Lookup("xxh128")
	return hashing.NewSummer(f), f
}

func wanted(b []byte, want hashing.Want) hashing.FileSum {
	s, _ := summer()
	out := hashing.FileSum{Size: int64(len(b))}
	if want&hashing.WantSum != 0 {
		out.Sum = s.SumBytes(b, hashing.WantSum).Sum
	}
	if want&hashing.WantDigest != 0 {
		out.Digest = hashing.DigestOf(b)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, name string, b []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o777))
	must(t, os.WriteFile(name, b, 0o666))
}

// worker returns a worker, and a directory opened as a Tree.
func worker(t *testing.T, dir string) (*Worker, *Tree) {
	t.Helper()
	confined, err := confine.Open(dir)
	must(t, err)
	tree := OpenTree(confined)
	s, _ := summer()
	w := NewWorker(t.Context(), s)
	t.Cleanup(func() { w.Close(); tree.Close(); confined.Close() })
	if _, err := tree.root.Sub([]byte{0}, true); err != nil {
		t.Skip("files have no identity on this system, so the directory cannot be recognized")
	}
	return w, &tree
}

func TestSumIsThatOfTheContent(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	for _, n := range []int{0, 1, 4000, bufferSize - 1, bufferSize, bufferSize + 1, 3 * bufferSize} {
		a := hashtest.Bytes(n)
		b := slices.Clone(a)
		if n > 0 {
			b[n-1]++
		}
		for i, content := range [][]byte{a, a, b, a} {
			path := fmt.Sprintf("%d", i)
			if i%2 == 1 {
				path = fmt.Sprintf("folder/of %d/%d", n, i)
			}
			name := filepath.Join(dir, filepath.FromSlash(path))
			write(t, name, content)
			for _, want := range []hashing.Want{0, hashing.WantSum, hashing.WantDigest, both} {
				got, err := w.Sum(tree, path, Ask{Want: want, Busy: true})
				if err != nil || got.FileSum != wanted(content, want) || got.Stamp.Size != int64(n) || got.Busy {
					t.Errorf("content %d of %d bytes, want %b: %+v, %v", i, n, want, got, err)
				}
			}
			data, stamp, err := w.Bytes(tree, path)
			if small := n < bufferSize; small && (!bytes.Equal(data, content) || stamp.Size != int64(n)) || small != (err == nil) {
				t.Errorf("content %d of %d bytes: %d bytes, %v", i, n, len(data), err)
			}
			// SumKnown must work with an outdated size.
			for _, seen := range []int64{0, int64(n), int64(n) + 1, int64(n) - 1, bufferSize - 1, bufferSize} {
				got, err := w.SumKnown(tree.root, fmt.Append(nil, i, "\x00"), seen, Ask{Want: both})
				if i%2 == 0 && (err != nil || got.FileSum != wanted(content, both)) {
					t.Errorf("content %d of %d bytes, %d seen: %+v, %v", i, n, seen, got, err)
				}
			}
		}
	}
}

func TestSumIsNeverThatOfAnEarlierContent(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		contents := map[string][]byte{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			path := rapid.SampledFrom([]string{"a", "b", "x/a", "x/b", "y/a"}).Draw(t, "path")
			if contents[path] == nil || rapid.Bool().Draw(t, "edit") {
				contents[path] = bytes.Repeat([]byte{byte(rapid.IntRange(0, 1).Draw(t, "byte"))}, rapid.IntRange(0, 3).Draw(t, "size"))
				name := filepath.Join(dir, filepath.FromSlash(path))
				os.MkdirAll(filepath.Dir(name), 0o777)
				os.Remove(name) // a new file has a new stamp
				if err := os.WriteFile(name, contents[path], 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want := rapid.SampledFrom([]hashing.Want{hashing.WantSum, hashing.WantDigest, both}).Draw(t, "want")
			got, err := w.Sum(tree, path, Ask{Want: want})
			if err != nil || got.FileSum != wanted(contents[path], want) {
				t.Fatalf("%s: %+v, %v", path, got, err)
			}
		}
	})
}

func TestOtherThanRegularFilesInTreeIsRefused(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	write(t, filepath.Join(dir, "folder", "file"), []byte("text"))
	must(t, os.Symlink("folder", filepath.Join(dir, "link")))
	must(t, os.Symlink("file", filepath.Join(dir, "folder", "link")))
	for _, path := range []string{
		"", "gone", "folder", "folder/", "folder/gone", "folder/file/x", "gone/file", "link/file", "folder/link",
		"..", "../file", "folder/../folder/file", "folder/..", "/etc/passwd", "fol\x00der/file", "folder/fi\x00le",
		strings.Repeat("x", 300), strings.Repeat("x/", 3000) + "x",
	} {
		if got, err := w.Sum(tree, path, Ask{Want: both}); err == nil || got.FileSum != (hashing.FileSum{}) {
			t.Errorf("%.40q: %+v, %v", path, got, err)
		}
		if data, _, err := w.Bytes(tree, path); err == nil {
			t.Errorf("%.40q: %q", path, data)
		}
	}
	for range 2 { // a refused file must not change the worker's open directory
		if got, err := w.Sum(tree, "folder/file", Ask{Want: both}); err != nil || got.FileSum != wanted([]byte("text"), both) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := w.Sum(&Tree{}, "folder/file", Ask{Want: both}); err == nil {
		t.Error("an empty tree returns a file")
	}
}

func TestReplacedDirectoryIsNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot rename an open directory")
	}
	base := t.TempDir()
	write(t, filepath.Join(base, "assets", "a"), []byte("text"))
	write(t, filepath.Join(base, "other", "a"), []byte("secret"))
	confined, err := confine.Open(filepath.Join(base, "assets"))
	must(t, err)
	defer confined.Close()
	must(t, os.Rename(filepath.Join(base, "assets"), filepath.Join(base, "moved")))
	must(t, os.Symlink("other", filepath.Join(base, "assets")))
	tree := OpenTree(confined)
	defer tree.Close()
	s, _ := summer()
	w := NewWorker(t.Context(), s)
	defer w.Close()
	if got, err := w.Sum(&tree, "a", Ask{Want: both}); err == nil {
		t.Errorf("read %+v", got)
	}
}

// A new file may get the inode and the stamp of a removed file within one tick of the file system's
// clock. The new file must still be read.
func TestReusedInodeIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	write(t, filepath.Join(dir, "a"), []byte("one"))
	_, err := w.Sum(tree, "a", Ask{Want: both})
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "a")))
	write(t, filepath.Join(dir, "b"), []byte("two"))
	info, err := os.Lstat(filepath.Join(dir, "b"))
	must(t, err)
	w.last.stamp = scan.StampOf(info)
	got, err := w.Sum(tree, "b", Ask{Want: both})
	must(t, err)
	s, _ := summer()
	if want := s.SumBytes([]byte("two"), both); got.FileSum != want {
		t.Errorf("sum %+v, want %+v", got.FileSum, want)
	}
}

func TestSumBytesAgreesWithSum(t *testing.T) {
	dir := t.TempDir()
	w, tree := worker(t, dir)
	buf := make([]byte, 0, 8)
	for i, text := range []string{"one", "one", "two", "", "two"} {
		buf = append(buf[:0], text...)
		if got := w.SumBytes(buf, both); got != wanted(buf, both) {
			t.Errorf("bytes %d: %+v, want %+v", i, got, wanted(buf, both))
		}
		for _, text := range []string{text, "six"} {
			write(t, filepath.Join(dir, "a"), []byte(text))
			got, err := w.Sum(tree, "a", Ask{Want: both})
			must(t, err)
			if want := wanted([]byte(text), both); got.FileSum != want {
				t.Errorf("file %d: %+v, want %+v", i, got.FileSum, want)
			}
		}
	}
}

func TestRunsCoverEachFileOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folders := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 1000).Draw(t, "folders")
		unit := rapid.SampledFrom([]int64{1, runBytes / 100, runBytes, SharedSize}).Draw(t, "unit")
		size := func(i int) int64 { return unit * int64(i%7) }
		runs := Runs(len(folders), func(i, j int) bool { return folders[i] == folders[j] }, size)
		seen := make([]int, len(folders))
		for k, r := range runs {
			var sum int64
			for i := r.First; i < r.Last; i++ {
				seen[i]++
				if folders[i] != folders[r.First] {
					t.Fatalf("run %+v has two directories", r)
				}
				if sum >= runBytes {
					t.Fatalf("run %+v has %d bytes before its last file", r, sum)
				}
				sum += size(i)
			}
			if r.First >= r.Last || r.Last-r.First > runFiles || k > 0 && runs[k-1].bytes < r.bytes {
				t.Fatalf("run %d is %+v", k, r)
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Fatalf("number of runs for each file: %v", seen)
		}
	})
}

func TestLargeFileIsShared(t *testing.T) {
	leaktest.Check(t)
	dir := t.TempDir()
	w, tree := worker(t, dir)
	_ = w
	var names []string
	var sizes []int64
	for i := range 300 {
		names, sizes = append(names, fmt.Sprint("f", i)), append(sizes, int64(i))
		write(t, filepath.Join(dir, names[i]), hashtest.Bytes(i))
	}
	large := append(make([]byte, SharedSize), "end"...)
	write(t, filepath.Join(dir, "large"), large)
	names, sizes = append(names, "large"), append(sizes, int64(len(large)))
	s, _ := summer()
	got := make([]hashing.FileSum, len(names))
	shared := make([]int, len(names))
	same := func(i, j int) bool { return SameFolder(names[i], names[j]) }
	runs := Runs(len(names), same, func(i int) int64 { return sizes[i] })
	err := Each(t.Context(), 3, s, runs, func(w *Worker, r Run) error {
		for i := r.First; i < r.Last; i++ {
			a, err := w.Sum(tree, names[i], Ask{Want: both})
			if err != nil {
				return err
			}
			got[i], shared[i] = a.FileSum, w.sharers
		}
		return nil
	})
	must(t, err)
	for i, name := range names {
		content := hashtest.Bytes(min(i, 300))
		if name == "large" {
			content = large
		}
		if got[i] != wanted(content, both) {
			t.Errorf("%s: %+v", name, got[i])
		}
	}
	if shared[300] != 3 || shared[0] != 1 {
		t.Errorf("the large file was shared by %d workers, a small one by %d", shared[300], shared[0])
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Each(ended, 3, s, runs, func(*Worker, Run) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	broken := errors.New("broken")
	if err := Each(t.Context(), 3, s, runs, func(*Worker, Run) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("broken: %v", err)
	}
}

func TestSameFolderComparesParents(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"a", "b", true}, {"x/a", "x/b", true}, {"x/a", "y/a", false}, {"a", "x/a", false}, {"x/a", "x/y/a", false}, {"xx/a", "x/yy", false},
	} {
		if SameFolder(tc.a, tc.b) != tc.want || SameFolder(tc.b, tc.a) != tc.want {
			t.Errorf("%s and %s: want %v", tc.a, tc.b, tc.want)
		}
	}
}
