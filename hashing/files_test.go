package hashing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/internal/hashtest"
	"pgregory.net/rapid"
)

// filesOf writes numbered files and returns their names.
func filesOf(t testing.TB, contents ...[]byte) []string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for i, b := range contents {
		names = append(names, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// collect runs f.Sum, checks the order of the results, and returns them.
func collect(t reporter, ctx context.Context, f Files, names []string) ([]FileResult, error) {
	t.Helper()
	var got []FileResult
	err := f.Sum(ctx, slices.Values(names), func(r FileResult) {
		if r.Index != len(got) || r.Name != names[r.Index] {
			t.Errorf("result %d is for file %d, %q", len(got), r.Index, r.Name)
		}
		got = append(got, r)
	})
	return got, err
}

// A reporter is the common part of testing.TB and rapid.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

func function(t testing.TB, name string) Func {
	t.Helper()
	f, ok := Lookup(name)
	if !ok {
		t.Fatalf("no function %q", name)
	}
	return f
}

// TestFilesAreSummedByEveryFunction uses files whose sizes are around multiples of the block size.
func TestFilesAreSummedByEveryFunction(t *testing.T) {
	data := hashtest.Bytes(6*blockSize + 77)
	var contents [][]byte
	for _, n := range []int{0, 1, 5000, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize, 2*blockSize + 1, 6*blockSize + 77, 100} {
		contents = append(contents, data[len(data)-n:])
	}
	names := filesOf(t, contents...)
	for _, f := range registry {
		want := make([]Sum, len(contents))
		for i, b := range contents {
			want[i] = f.Sum(b)
		}
		numbers := []int{2}
		if slices.Contains([]string{"crc32", "blake3", "xxh128"}, f.Name) {
			numbers = []int{0, 1, 2, 5}
		}
		for _, workers := range numbers {
			var bytes, total atomic.Int64
			got, err := collect(t, t.Context(), Files{Func: f, Workers: workers, Progress: func(n int64) { bytes.Add(n) }}, names)
			if err != nil || len(got) != len(names) {
				t.Fatalf("%s, %d workers: %d results, %v", f.Name, workers, len(got), err)
			}
			for i, r := range got {
				if r.Err != nil || r.Sum != want[i] || r.Size != int64(len(contents[i])) {
					t.Errorf("%s, %d workers, %d bytes: %v, %d, %v, want %v", f.Name, workers, len(contents[i]), r.Sum, r.Size, r.Err, want[i])
				}
				total.Add(r.Size)
			}
			if bytes.Load() != total.Load() {
				t.Errorf("%s, %d workers: progress over %d of %d bytes", f.Name, workers, bytes.Load(), total.Load())
			}
		}
		sum, size, err := SumFile(t.Context(), f, names[8])
		if sum != want[8] || size != int64(len(contents[8])) || err != nil {
			t.Errorf("%s, SumFile: %v, %d, %v, want %v", f.Name, sum, size, err, want[8])
		}
		sum, size, err = SumReader(t.Context(), f, bytes.NewReader(contents[8]))
		if sum != want[8] || size != int64(len(contents[8])) || err != nil {
			t.Errorf("%s, SumReader: %v, %d, %v, want %v", f.Name, sum, size, err, want[8])
		}
	}
}

// TestFilesAreSummedInOrder expects correct checksums in the order of names, for random files and
// any number of workers.
func TestFilesAreSummedInOrder(t *testing.T) {
	data := hashtest.Bytes(4 * blockSize)
	sizes := []int{0, 1, 1000, blockSize, blockSize + 1, 2*blockSize - 1, 3*blockSize + 9}
	var contents [][]byte
	for i, n := range sizes {
		contents = append(contents, data[i:i+n])
	}
	all := filesOf(t, contents...)
	rapid.Check(t, func(t *rapid.T) {
		f, _ := Lookup(rapid.SampledFrom([]string{"crc32", "blake3", "xxh3", "sha256", "maphash"}).Draw(t, "function"))
		picks := rapid.SliceOfN(rapid.IntRange(0, len(all)), 0, 12).Draw(t, "files")
		var names []string
		for _, i := range picks {
			if i == len(all) {
				names = append(names, all[0]+"-missing")
			} else {
				names = append(names, all[i])
			}
		}
		got, err := collect(t, context.Background(), Files{Func: f, Workers: rapid.IntRange(1, 7).Draw(t, "workers")}, names)
		if err != nil || len(got) != len(names) {
			t.Fatalf("%d results of %d, %v", len(got), len(names), err)
		}
		for k, i := range picks {
			if i == len(all) {
				if !errors.Is(got[k].Err, fs.ErrNotExist) {
					t.Errorf("missing: %v", got[k].Err)
				}
			} else if got[k].Err != nil || got[k].Sum != f.Sum(contents[i]) || got[k].Size != int64(sizes[i]) {
				t.Errorf("file of %d bytes: %+v", sizes[i], got[k])
			}
		}
	})
}

func TestErrorsNameTheirFile(t *testing.T) {
	names := filesOf(t, []byte("first"), []byte("last"))
	dir := filepath.Dir(names[0])
	in := []string{names[0], dir, filepath.Join(dir, "none"), "", "a\x00b", names[1]}
	for _, workers := range []int{1, 3} {
		f := function(t, "crc32")
		got, err := collect(t, t.Context(), Files{Func: f, Workers: workers}, in)
		if err != nil || len(got) != len(in) {
			t.Fatalf("%d results, %v", len(got), err)
		}
		for i, r := range got {
			if ok := i == 0 || i == 5; ok != (r.Err == nil) || ok != (r.Sum.Len() == 4) || !ok && r.Size != 0 {
				t.Errorf("%q: %+v", r.Name, r)
			}
			if r.Err != nil && !strings.Contains(r.Err.Error(), r.Name) {
				t.Errorf("the error does not name %q: %v", r.Name, r.Err)
			}
		}
		if want := "sum " + dir + ": is a directory"; got[1].Err.Error() != want {
			t.Errorf("directory: %v, want %s", got[1].Err, want)
		}
		if !errors.Is(got[2].Err, fs.ErrNotExist) {
			t.Errorf("missing: %v", got[2].Err)
		}
	}
	if sum, size, err := SumFile(t.Context(), function(t, "xxh3"), dir); err == nil || sum.Len() != 0 || size != 0 {
		t.Errorf("directory: %v, %d, %v", sum, size, err)
	}
}

// TestChangedFileIsAnError truncates or extends a file after its first bytes have been read.
func TestChangedFileIsAnError(t *testing.T) {
	size := int64(3*blockSize + 5)
	for _, name := range []string{"crc32", "blake3", "xxh128"} {
		for change, to := range map[string]int64{"cut": 2 * blockSize, "emptied": 0, "grown": size + 1} {
			for _, workers := range []int{1, 2} {
				path := filesOf(t, hashtest.Bytes(int(size)), []byte("other"))
				var once atomic.Bool
				f := Files{Func: function(t, name), Workers: workers, Progress: func(n int64) {
					if n > 5 && once.CompareAndSwap(false, true) {
						if err := os.Truncate(path[0], to); err != nil {
							t.Error(err)
						}
					}
				}}
				got, err := collect(t, t.Context(), f, path)
				if err != nil || len(got) != 2 || got[1].Err != nil {
					t.Fatalf("%+v, %v", got, err)
				}
				if r := got[0]; !errors.Is(r.Err, ErrChanged) || !strings.Contains(r.Err.Error(), path[0]) || r.Sum.Len() != 0 || r.Size != 0 {
					t.Errorf("%s, %s, %d workers: %+v", name, change, workers, r)
				}
			}
		}
	}
}

// TestChangedSmallFileIsAnError changes only the size or only the time of a small file after its
// bytes have been read.
func TestChangedSmallFileIsAnError(t *testing.T) {
	for _, size := range []int{1, 1000, blockSize} {
		for change, make := range map[string]func(name string) error{
			"cut":  func(name string) error { return os.Truncate(name, int64(size-1)) },
			"long": func(name string) error { return os.Truncate(name, int64(size+1)) },
			"time": nil,
		} {
			path := filesOf(t, hashtest.Bytes(size))[0]
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			when := info.ModTime()
			if make == nil {
				when = when.Add(time.Hour)
			}
			f := Files{Func: function(t, "crc32"), Workers: 1, Progress: func(int64) {
				if make != nil {
					if err := make(path); err != nil {
						t.Error(err)
					}
				}
				if err := os.Chtimes(path, when, when); err != nil {
					t.Error(err)
				}
			}}
			got, err := collect(t, t.Context(), f, []string{path})
			if err != nil || len(got) != 1 || !errors.Is(got[0].Err, ErrChanged) {
				t.Errorf("%d bytes, %s: %+v, %v", size, change, got, err)
			}
		}
	}
}

// TestEndedContextStopsFiles ends the context when the first bytes of the third file are read.
func TestEndedContextStopsFiles(t *testing.T) {
	large := hashtest.Bytes(5 * blockSize)
	for _, name := range []string{"crc32", "xxh3"} {
		for _, workers := range []int{1, 3} {
			names := filesOf(t, []byte("a"), []byte("b"), large, large, []byte("c"))
			ctx, cancel := context.WithCancel(t.Context())
			var bytes atomic.Int64
			got, err := collect(t, ctx, Files{Func: function(t, name), Workers: workers, Progress: func(n int64) {
				if bytes.Add(n) > 100 {
					cancel()
				}
			}}, names)
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
			if len(got) < 3 || !errors.Is(got[2].Err, context.Canceled) || !strings.Contains(got[2].Err.Error(), names[2]) {
				t.Fatalf("%s, %d workers: %+v", name, workers, got)
			}
			if n := bytes.Load(); n > int64(2*workers)*blockSize {
				t.Errorf("%s, %d workers: %d bytes were read", name, workers, n)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := collect(t, ctx, Files{Func: registry[0]}, []string{"any"}); len(got) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %+v, %v", got, err)
	}
	if _, _, err := SumFile(ctx, registry[0], "any"); !errors.Is(err, context.Canceled) {
		t.Errorf("SumFile, ended before: %v", err)
	}
	if _, _, err := SumReader(ctx, registry[0], strings.NewReader("any")); !errors.Is(err, context.Canceled) {
		t.Errorf("SumReader, ended before: %v", err)
	}
}

// TestFewFilesAreBegunEarly expects few files to begin before earlier results are delivered. Only
// one goroutine at a time may iterate over names.
func TestFewFilesAreBegunEarly(t *testing.T) {
	name := filesOf(t, []byte("small"))[0]
	var delivered, asking atomic.Int64
	most := int64(0)
	names := func(yield func(string) bool) {
		for i := range int64(5 * maxEarly) {
			if asking.Add(1) != 1 {
				t.Error("two goroutines asked for names at once")
			}
			most = max(most, i-delivered.Load())
			asking.Add(-1)
			if !yield(name) {
				return
			}
		}
	}
	got := 0
	err := Files{Func: registry[0], Workers: 4}.Sum(t.Context(), names, func(r FileResult) {
		if r.Err != nil || r.Index != got {
			t.Errorf("%d: %+v", got, r)
		}
		got++
		delivered.Add(1)
	})
	if err != nil || got != 5*maxEarly || most > maxEarly+4 {
		t.Errorf("%d results, %v; up to %d begun beyond those delivered", got, err, most)
	}
}

// TestQueueWaits delivers the result of the first file last. Until this delivery, the queue must
// begin only maxEarly files. Then it must continue.
func TestQueueWaits(t *testing.T) {
	q := &queue{ctx: t.Context(), early: map[int]FileResult{}}
	q.wake.L = &q.mu
	n := 0
	q.next = func() (string, bool) { n++; return fmt.Sprint(n), n <= maxEarly+2 }
	order := []int{}
	q.done = func(r FileResult) { order = append(order, r.Index) }
	for i := range maxEarly {
		task, ok := q.waitForTask()
		if !ok || task.index != i {
			t.Fatalf("task %d: %+v, %v", i, task, ok)
		}
		if i > 0 {
			q.deliverResult(FileResult{Index: i})
		}
	}
	next := make(chan task)
	go func() {
		for {
			t, ok := q.waitForTask()
			if !ok {
				close(next)
				return
			}
			next <- t
		}
	}()
	if len(order) != 0 || n != maxEarly {
		t.Fatalf("%d delivered, %d names taken", len(order), n)
	}
	q.deliverResult(FileResult{Index: 0})
	for i := maxEarly; i < maxEarly+2; i++ {
		if task := <-next; task.index != i {
			t.Fatalf("task %+v, want %d", task, i)
		}
		q.deliverResult(FileResult{Index: i})
	}
	if _, more := <-next; more || !slices.IsSorted(order) || len(order) != maxEarly+2 {
		t.Errorf("more %v, %d delivered", more, len(order))
	}
}

// TestReadAheadIsBounded expects at most maxAhead blocks to be read ahead if they must be processed
// in order. Otherwise there is no limit.
func TestReadAheadIsBounded(t *testing.T) {
	path := filesOf(t, hashtest.Bytes(8*blockSize))[0]
	for name, want := range map[string]int{"xxh3": maxAhead, "crc32": 8} {
		f, before, err := openForSum(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		l := newLarge(function(t, name), f, before)
		claimed := 0
		for _, ok := l.claimBlock(); ok; _, ok = l.claimBlock() {
			claimed++
		}
		if claimed != want {
			t.Errorf("%s: %d blocks claimed, want %d", name, claimed, want)
		}
	}
}

func BenchmarkFilesSmall(b *testing.B) {
	contents := make([][]byte, 1000)
	for i := range contents {
		contents[i] = hashtest.Bytes(i % 100 * 100)
	}
	names := filesOf(b, contents...)
	f, _ := Lookup(Default)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := collect(b, b.Context(), Files{Func: f, Workers: workers}, names); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestPanicReachesTheCaller expects Sum to panic if a function of the caller panics in any
// goroutine, without leaks of goroutines or open files.
func TestPanicReachesTheCaller(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := range 50 {
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, someBytes(i*1000), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, 5*blockSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	names = append(names, large)
	fine := func(FileResult) {}
	for _, workers := range []int{1, 2, 8} {
		for name, sum := range map[string]func(Files) error{
			"names at once": func(f Files) error {
				return f.Sum(t.Context(), func(func(string) bool) { panic("mine") }, fine)
			},
			"names later": func(f Files) error {
				return f.Sum(t.Context(), func(yield func(string) bool) {
					for _, name := range names {
						if !yield(name) {
							return
						}
					}
					panic("mine")
				}, fine)
			},
			"done": func(f Files) error {
				calls := 0
				return f.Sum(t.Context(), slices.Values(names), func(FileResult) {
					if calls++; calls == 20 {
						panic("mine")
					}
					if calls > 20 {
						t.Error("done is called again")
					}
				})
			},
			"Progress": func(f Files) error {
				f.Progress = func(int64) { panic("mine") }
				return f.Sum(t.Context(), slices.Values(names), fine)
			},
		} {
			func() {
				defer func() {
					if p := recover(); p != "mine" {
						t.Errorf("%s, %d workers: panic %v, want mine", name, workers, p)
					}
				}()
				sum(Files{Func: registry[0], Workers: workers})
				t.Errorf("%s, %d workers: no panic", name, workers)
			}()
		}
	}
}

// TestFilesPanicEndsWork expects Sum not to wait for the end of a file after a panic, because the
// file may be endless.
func TestFilesPanicEndsWork(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<42); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"crc32", "xxh128"} {
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("%s: panic %v, want mine", name, p)
				}
			}()
			f := Files{Func: function(t, name), Workers: 2, Progress: func(int64) { panic("mine") }}
			f.Sum(t.Context(), slices.Values([]string{huge}), func(FileResult) {})
		}()
	}
}

// TestSumFileEndsLate expects SumFile to succeed until its context ends, and then to return the
// context's error.
func TestSumFileEndsLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	name := filesOf(t, []byte("123456789"))[0]
	if _, _, err := SumFile(ctx, Func{}, name); err == nil {
		t.Error("the zero Func returned a sum")
	}
	sum, size, err := SumFile(ctx, function(t, "crc32"), name)
	if err != nil || size != 9 || sum.String() != "cbf43926" {
		t.Errorf("%v, %d, %v", sum, size, err)
	}
	cancel()
	if sum, size, err := SumFile(ctx, function(t, "crc32"), name); !errors.Is(err, context.Canceled) || sum.Len() != 0 || size != 0 {
		t.Errorf("ended: %v, %d, %v", sum, size, err)
	}
}

func TestCustomCRC32SumsFiles(t *testing.T) {
	model, _ := crcslice8.ModelByName("CRC-32/MPEG-2")
	table := crcslice8.New(model)
	f := CRC32(table)
	name, b := filepath.Join(t.TempDir(), "large"), someBytes(3*blockSize+7)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, size, err := SumFile(t.Context(), f, name)
	if want := fmt.Sprintf("%08x", table.Checksum(b)); err != nil || size != int64(len(b)) || sum.String() != want || !f.Parallel() {
		t.Errorf("%v, %d bytes, %v; want %s", sum, size, err, want)
	}
	if got := f.Sum([]byte("123456789")).String(); got != f.Check || f.Name != "CRC-32/MPEG-2" {
		t.Errorf("%s of the check input: %s, want %s", f.Name, got, f.Check)
	}
}

// TestBlockNumbersAreNotTruncated passes large block numbers to BLAKE3's tree.
func TestBlockNumbersAreNotTruncated(t *testing.T) {
	const size = 257*blockSize + 1025
	name := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	h, zeros := function(t, "blake3").New(), make([]byte, blockSize)
	for range size / blockSize {
		h.Write(zeros)
	}
	h.Write(zeros[:size%blockSize])
	if sum, n, err := SumFile(t.Context(), function(t, "blake3"), name); err != nil || n != size || sum != sumOfStream(h) {
		t.Errorf("%v of %d bytes, %v; want %v", sum, n, err, sumOfStream(h))
	}
}
