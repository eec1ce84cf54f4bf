// Package bulk reads many files at little more than the cost of opening, reading and closing them.
//
// The files are split into runs. A run is a range of files in one directory, which a worker opens
// once. The worker reads each small file with one call into its own buffer. If two successive files
// have equal contents, such as a source and its copy, the worker hashes the content only once. It
// hashes large files while it reads them. All cores together read a file that is so large that one
// core would finish last.
//
// A path gives an error if it is not a regular file inside its tree, or if it contains a link. The
// error does not explain the cause.
package bulk

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dirfd"
	"github.com/assetcook/assetcook/internal/parallel"
)

// SmallSize is the size, in bytes, below which a file is read with one call.
const SmallSize = bufferSize

const (
	// bufferSize is the size of one read: large enough to make the system call cheap, small
	// enough that the bytes are still in the second-level cache when they are hashed.
	bufferSize = 256 << 10
	// runFiles and runBytes limit the size of a run.
	runFiles = 256
	runBytes = 1 << 20
	// SharedSize is the smallest size, in bytes, of files that several cores may read in
	// pieces.
	SharedSize = 16 << 20
)

// A Run is a range of files in one directory, by number: from First up to, but not including,
// Last.
type Run struct {
	First, Last int
	bytes       int64
}

// Runs splits the files with numbers below n into runs, the largest first, so that no worker
// starts a large run last. sameFolder compares the directories of two files.
func Runs(n int, sameFolder func(i, j int) bool, size func(i int) int64) []Run {
	var runs []Run
	for first := 0; first < n; {
		r := Run{First: first, Last: first}
		for r.Last < n && r.Last-first < runFiles && r.bytes < runBytes && sameFolder(first, r.Last) {
			r.bytes += size(r.Last)
			r.Last++
		}
		runs = append(runs, r)
		first = r.Last
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(b.bytes, a.bytes) })
	return runs
}

// SameFolder reports whether two slash-separated paths are in one directory.
func SameFolder(a, b string) bool {
	i := strings.LastIndexByte(a, '/')
	return i == strings.LastIndexByte(b, '/') && (i < 0 || a[:i] == b[:i])
}

// Each calls do for all runs, on up to the given number of workers. If ctx ends, it returns ctx's
// error. If do returns an error, its worker stops.
func Each(ctx context.Context, workers int, summer *hashing.Summer, runs []Run, do func(*Worker, Run) error) error {
	workers = max(1, workers)
	var total int64
	for _, r := range runs {
		total += r.bytes
	}
	made := make([]*Worker, workers)
	defer func() {
		for _, w := range made {
			if w != nil {
				w.Close()
			}
		}
	}()
	// The runs are sorted by size, so runs with a single huge file come first.
	alone := 0
	for alone < len(runs) && runs[alone].bytes >= SharedSize && runs[alone].bytes > total/int64(workers) {
		alone++
	}
	some := func(runs []Run, workers, sharers int) error {
		return parallel.Each(ctx, workers, len(runs), func(n, i int) error {
			if made[n] == nil {
				made[n] = NewWorker(ctx, summer)
			}
			made[n].sharers = sharers
			return do(made[n], runs[i])
		})
	}
	if err := some(runs[:alone], 1, workers); err != nil {
		return err
	}
	return some(runs[alone:], workers, 1)
}

// A Tree is a directory whose files are read by relative path. The zero Tree has no files.
type Tree struct{ root dirfd.Folder }

// OpenTree opens the tree of a confined directory. If it cannot prove that it opened the same
// directory, the tree has no files.
func OpenTree(dir *confine.Dir) Tree {
	t := OpenFolder(dir.Name())
	var now dirfd.Info
	info, err := dir.Root().Stat(".")
	if err != nil || t.root.Info(&now) != nil {
		t.Close()
		return Tree{}
	}
	want, got := scan.StampOf(info), scan.StampOfInfo(&now)
	if want.Inode == 0 || want.Inode != got.Inode || want.Device != got.Device {
		t.Close()
		return Tree{}
	}
	return t
}

// OpenFolder opens the tree of a directory by name. If this fails, the tree has no files.
func OpenFolder(name string) Tree {
	root, err := dirfd.Open(name)
	if err != nil {
		return Tree{}
	}
	return Tree{root}
}

// OpenSub opens a directory of the tree. The path ends in NUL and must not contain links.
func (t *Tree) OpenSub(path []byte) (dirfd.Folder, error) { return t.root.Sub(path, true) }

// Close closes the tree.
func (t *Tree) Close() { t.root.Close() }

// An Ask selects the facts to determine about a file.
type Ask struct {
	hashing.Want
	// Busy asks whether another process can write to the file; see package lease.
	Busy bool
}

// An Answer describes a file that was read to its end.
type Answer struct {
	hashing.FileSum
	Stamp scan.Stamp // stamp before the first byte was read
	Busy  bool
}

// A Worker reads files one after the other.
type Worker struct {
	ctx     context.Context
	summer  *hashing.Summer
	sharers int // number of cores that read one large file together

	name []byte       // buffer for a path passed to the system
	open []openFolder // the directory last opened in each tree

	// Small contents are read into the two buffers in turn, so that each can be compared with the
	// one before.
	bufs [2][]byte
	next int
	last small
}

type openFolder struct {
	tree *Tree
	path string
	dirfd.Folder
}

// A small holds a small file whose content is still in a buffer.
type small struct {
	data  []byte
	stamp scan.Stamp
	want  hashing.Want // the fields of sum that are set; 0 if the buffer holds no file
	sum   hashing.FileSum
}

// NewWorker returns a worker that reads single files; see [Each] for many files.
func NewWorker(ctx context.Context, summer *hashing.Summer) *Worker {
	return &Worker{ctx: ctx, summer: summer}
}

// readBuffer returns the buffer for the next small content.
func (w *Worker) readBuffer() []byte {
	if w.bufs[w.next] == nil {
		w.bufs[w.next] = make([]byte, bufferSize)
	}
	return w.bufs[w.next]
}

// Close closes the directories that the worker has open. The worker can be used again.
func (w *Worker) Close() {
	for i := range w.open {
		w.open[i].Close()
	}
	w.open = nil
}

// Sum reads the file of a tree at a slash-separated path.
func (w *Worker) Sum(t *Tree, path string, ask Ask) (Answer, error) {
	dir, name, err := w.openParent(t, path)
	if err != nil {
		return Answer{}, err
	}
	return w.answerAsk(dir, name, ask)
}

// SumBytes hashes content that the caller has read. It keeps a copy, so that an equal file that
// follows need not be hashed.
func (w *Worker) SumBytes(data []byte, want hashing.Want) hashing.FileSum {
	return w.sumSmallFile(append(w.readBuffer()[:0], data...), scan.Stamp{}, want)
}

// Bytes returns the content of a small file of a tree. The result is valid until the worker's
// next call. A file larger than the buffer is an error.
func (w *Worker) Bytes(t *Tree, path string) ([]byte, scan.Stamp, error) {
	var info dirfd.Info
	data, err := w.ReadInto(w.readBuffer(), t, path, &info, nil)
	return data, scan.StampOfInfo(&info), err
}

// ReadInto reads a file of a tree into buf, which must be larger than the file, and describes the
// file. If busy is not nil, it sets *busy if another process could write to the file before the first
// byte was read.
func (w *Worker) ReadInto(buf []byte, t *Tree, path string, info *dirfd.Info, busy *bool) (data []byte, err error) {
	dir, name, err := w.openParent(t, path)
	if err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(name, info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if busy != nil {
		*busy = f.Busy()
	}
	data, end, err := readUpTo(buf, f, info.Size)
	if err == nil && !end {
		err = syscall.EFBIG
	}
	return data, err
}

// Stat returns the stamp of a file of a tree. It does not follow symbolic links.
func (w *Worker) Stat(t *Tree, path string) (scan.Stamp, error) {
	dir, name, err := w.openParent(t, path)
	if err != nil {
		return scan.Stamp{}, err
	}
	var info dirfd.Info
	if err := dir.Stat(name, false, &info); err != nil {
		return scan.Stamp{}, err
	}
	return scan.StampOfInfo(&info), nil
}

// Create writes a new file of a tree, which must be smaller than SmallSize. It returns the stamp of the
// complete file and the checksums of data. If it fails, the file may exist and be incomplete.
func (w *Worker) Create(t *Tree, path string, perm fs.FileMode, data []byte, want hashing.Want) (Answer, error) {
	dir, name, err := w.openParent(t, path)
	if err != nil {
		return Answer{}, err
	}
	var info dirfd.Info
	if err := dir.Create(name, perm, data, &info); err != nil {
		return Answer{}, err
	}
	return Answer{FileSum: w.SumBytes(data, want), Stamp: scan.StampOfInfo(&info)}, nil
}

// openParent opens the directory of a file, unless it is open already, and returns the file's name
// in it.
func (w *Worker) openParent(t *Tree, path string) (dirfd.Folder, []byte, error) {
	slash := strings.LastIndexByte(path, '/')
	folder := path[:max(slash, 0)]
	at := -1
	for i := range w.open {
		if w.open[i].tree == t {
			at = i
		}
	}
	if at < 0 || w.open[at].path != folder {
		w.name = append(append(w.name[:0], folder...), 0)
		dir, err := t.root.Sub(w.name, true)
		if err != nil {
			return dirfd.Folder{}, nil, err
		}
		if at < 0 {
			at = len(w.open)
			w.open = append(w.open, openFolder{tree: t})
		} else {
			w.open[at].Close()
		}
		w.open[at].path, w.open[at].Folder = folder, dir
	}
	w.name = append(append(w.name[:0], path[slash+1:]...), 0)
	return w.open[at].Folder, w.name, nil
}

func (w *Worker) answerAsk(dir dirfd.Folder, name []byte, ask Ask) (Answer, error) {
	var info dirfd.Info
	f, err := dir.OpenFile(name, &info)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close()
	return w.SumOpen(f, &info, ask)
}

// SumOpen reads an open file from its start, given its file info.
func (w *Worker) SumOpen(f dirfd.File, info *dirfd.Info, ask Ask) (a Answer, err error) {
	a.Stamp = scan.StampOfInfo(info)
	a.Busy = ask.Busy && f.Busy()
	// This is a hard link to the last file. A file with a single name is always read: it may be a
	// new file that got the inode, and even the time, of a removed file.
	if info.Links > 1 && a.Stamp == w.last.stamp && a.Stamp.Inode != 0 && w.last.hasSums(ask.Want) {
		a.FileSum = w.last.only(ask.Want)
		return a, nil
	}
	if info.Size >= SmallSize {
		a.FileSum, err = w.large(f, info.Size, ask.Want)
		return a, err
	}
	data, end, err := w.readToEnd(f, info.Size)
	switch {
	case err != nil:
		return Answer{}, err
	case end:
		a.FileSum = w.sumSmallFile(data, a.Stamp, ask.Want)
	default: // the file has grown since its size was read
		a.FileSum, err = w.summer.Sum(w.ctx, io.MultiReader(bytes.NewReader(data), f), ask.Want)
	}
	return a, err
}

// SumKnown reads a file in a directory, given its size from a recent stat. name ends in NUL.
// The answer has no stamp.
func (w *Worker) SumKnown(dir dirfd.Folder, name []byte, size int64, ask Ask) (a Answer, err error) {
	if size < SmallSize {
		buf := w.readBuffer()
		n, end, busy, err := dir.Read(name, size, ask.Busy, buf)
		if err != nil {
			return Answer{}, err
		}
		if end {
			return Answer{FileSum: w.sumSmallFile(buf[:n], scan.Stamp{}, ask.Want), Busy: busy}, nil
		}
	}
	return w.answerAsk(dir, name, ask)
}

// readToEnd reads a file to its end, or until the buffer is full.
func (w *Worker) readToEnd(f dirfd.File, size int64) (data []byte, end bool, err error) {
	return readUpTo(w.readBuffer(), f, size)
}

// readUpTo reads a file to its end, or until the buffer is full.
func readUpTo(buf []byte, f dirfd.File, size int64) (data []byte, end bool, err error) {
	for n := 0; n < len(buf); {
		m, err := f.Read(buf[n:])
		n += m
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		// If a short read reaches the size from stat, it has reached the end of the file.
		if err == io.EOF || int64(n) == size && n < len(buf) {
			return buf[:n], true, nil
		}
	}
	return buf, false, nil
}

// sumSmallFile hashes content that was read into the next buffer.
func (w *Worker) sumSmallFile(data []byte, stamp scan.Stamp, want hashing.Want) hashing.FileSum {
	if w.last.hasSums(want) && want&hashing.WantDigest != 0 && bytes.Equal(data, w.last.data) {
		w.last.data, w.last.stamp = data, stamp
	} else {
		w.last = small{data, stamp, want, w.summer.SumBytes(data, want)}
	}
	w.next = 1 - w.next
	return w.last.only(want)
}

func (s *small) hasSums(want hashing.Want) bool { return s.want != 0 && s.want&want == want }

// only returns a copy of the sum without unwanted fields.
func (s *small) only(want hashing.Want) hashing.FileSum {
	sum := s.sum
	if want&hashing.WantSum == 0 {
		sum.Sum = hashing.Sum128{}
	}
	if want&hashing.WantDigest == 0 {
		sum.Digest = hashing.Digest{}
	}
	return sum
}

func (w *Worker) large(f dirfd.File, size int64, want hashing.Want) (hashing.FileSum, error) {
	if size >= SharedSize && w.sharers > 1 {
		return w.summer.SumShared(w.ctx, f, size, want, w.sharers)
	}
	return w.summer.Sum(w.ctx, f, want)
}
