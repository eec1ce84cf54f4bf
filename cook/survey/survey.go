// Package survey finds out what every file's content is now, and reads no
// more than it must.
//
// The scan says how files look from outside; the index says what their
// contents were. Where both agree on a stamp that could be trusted, nothing is
// read. Otherwise the file's checksum is computed, and only if that is new, or
// nothing is known to compare it with, its blob ID as well, which costs
// several times as much.
//
// Stamps are taken before contents are read and compared again after an asset
// was cooked, so that no content is ever kept under a stamp that is younger
// than it. The stamp of a file that somebody has open for writing when it is read
// is not trusted by the next run, which reads the file again; see package lease.
package survey

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/regular"
)

// How says by what a file's content is known.
type How uint8

const (
	Absent     How = iota // there is no such file
	Unreadable            // there is, but Err kept it from being read
	ByStamp               // the index knows it, and its stamp is the same
	ByChecksum            // the index knows it, and its checksum is the same
	ByReading             // the index does not know this content
)

// A File is one file and its content.
type File struct {
	Path    string
	Stamp   scan.Stamp
	Settled bool // the stamp may be trusted by the next run
	Sum     hashing.Sum128
	Blob    store.BlobID
	How     How
	Err     error // for Unreadable
	// Turn tells when the file was surveyed: after a Mark that is smaller.
	Turn int64
}

// Known reports whether the content is known.
func (f File) Known() bool { return f.How >= ByStamp }

// Options say what to survey.
type Options struct {
	Assets   *confine.Dir
	Index    *index.Index
	Checksum hashing.Func
	// Verify trusts no stamp.
	Verify bool
	// Workers is how many files are read at once.
	Workers int
	// Clock judges stamps. No stamp that the survey sees was taken before it was
	// started.
	Clock *scan.Clock
}

// A Survey holds what has been found. Its methods may be called by many
// goroutines once Sources has returned.
type Survey struct {
	opt      Options
	summer   *hashing.Summer
	sameFunc bool // the index has sums of the function that we compute
	assets   []File

	mu    sync.Mutex
	extra map[string]*entry // files that are no assets, by path

	read  Counts
	turns atomic.Int64
}

type entry struct {
	once sync.Once
	file File
}

// Counts are what a survey has read.
type Counts struct{ Files, Bytes atomic.Int64 }

// New starts a survey.
func New(opt Options) *Survey {
	return &Survey{
		opt:      opt,
		summer:   hashing.NewSummer(opt.Checksum),
		sameFunc: opt.Index.Checksum() == opt.Checksum.Name,
		extra:    map[string]*entry{},
	}
}

// Read counts the files and bytes read so far.
func (s *Survey) Read() *Counts { return &s.read }

// Assets returns the assets in the order of their paths.
func (s *Survey) Assets() []File { return s.assets }

// Sources surveys the assets, which are sorted by path. It ends early only
// with ctx; files that cannot be read are in the result.
func (s *Survey) Sources(ctx context.Context, entries []scan.Entry) error {
	s.assets = make([]File, len(entries))
	var todo []job
	s.opt.Index.Match(entries, func(e, row int) {
		if e < 0 {
			return
		}
		s.assets[e] = File{Path: entries[e].Path, Stamp: entries[e].Stamp}
		if j := s.judge(&s.assets[e], row); j.file != nil {
			todo = append(todo, j)
		}
	})
	return s.readAll(ctx, todo)
}

// At returns a file of the asset tree, surveying it first if it is no asset.
func (s *Survey) At(ctx context.Context, path string) File {
	if f, ok := s.asset(path); ok {
		return f
	}
	return s.other(ctx, path, s.opt.Assets.Stat)
}

// Mark is the moment now, to be compared with File.Turn.
func (s *Survey) Mark() int64 { return s.turns.Load() }

func (s *Survey) asset(path string) (File, bool) {
	i := sort.Search(len(s.assets), func(i int) bool { return s.assets[i].Path >= path })
	if i < len(s.assets) && s.assets[i].Path == path {
		return s.assets[i], true
	}
	return File{}, false
}

// Tool returns a program, or a file that belongs to one, by its absolute name.
func (s *Survey) Tool(ctx context.Context, file string) (File, error) {
	f := s.other(ctx, file, os.Stat)
	switch f.How {
	case Absent:
		return f, fs.ErrNotExist
	case Unreadable:
		return f, f.Err
	}
	return f, nil
}

// Extra returns the files surveyed that are no assets, in any order.
func (s *Survey) Extra() []File {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := make([]File, 0, len(s.extra))
	for _, e := range s.extra {
		if e.file.Known() {
			files = append(files, e.file)
		}
	}
	return files
}

func (s *Survey) other(ctx context.Context, path string, stat func(string) (fs.FileInfo, error)) File {
	s.mu.Lock()
	e, ok := s.extra[path]
	if !ok {
		e = &entry{file: File{Path: path}}
		s.extra[path] = e
	}
	s.mu.Unlock()
	e.once.Do(func() {
		e.file.Turn = s.turns.Add(1)
		info, err := stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return // Absent
		case err == nil && !info.Mode().IsRegular():
			err = errors.New("not a regular file")
		}
		if err != nil {
			e.file.How, e.file.Err = Unreadable, err
			return
		}
		e.file.Stamp = scan.StampOf(info)
		row, known := s.opt.Index.FindFile(path)
		if !known {
			row = -1
		}
		if j := s.judge(&e.file, row); j.file != nil {
			if err := s.readAll(ctx, []job{j}); err != nil {
				e.file.How, e.file.Err = Unreadable, err
			}
		}
	})
	return e.file
}

// A job is a file to be read and what the index knows of it.
type job struct {
	file  *File
	known index.File // zero Path if nothing
	want  hashing.Want
}

// judge settles a file by its stamp or returns the job of reading it.
func (s *Survey) judge(f *File, row int) job {
	f.Settled = s.opt.Clock.Settled(f.Stamp)
	if row < 0 {
		return job{file: f, want: hashing.WantSum | hashing.WantDigest}
	}
	known := s.opt.Index.File(row)
	if known.Settled && known.Stamp == f.Stamp && s.sameFunc && !s.opt.Verify {
		f.Sum, f.Blob, f.How = known.Sum, known.Blob, ByStamp
		return job{}
	}
	if s.sameFunc && known.Stamp.Size == f.Stamp.Size {
		return job{file: f, known: known, want: hashing.WantSum}
	}
	return job{file: f, known: known, want: hashing.WantSum | hashing.WantDigest}
}

// readAll reads what the jobs want, and once more for the blob ID where the
// checksum shows another content.
func (s *Survey) readAll(ctx context.Context, jobs []job) error {
	again := make([]bool, len(jobs))
	open := func(i int) (io.ReadCloser, hashing.Want, error) {
		r, err := s.open(jobs[i].file)
		return r, jobs[i].want, err
	}
	done := func(i int, sum hashing.FileSum, err error) {
		again[i] = s.settle(jobs[i], sum, err)
	}
	if err := s.summer.SumAll(ctx, len(jobs), s.opt.Workers, open, done); err != nil {
		return err
	}
	var rest []job
	for i, more := range again {
		if more {
			rest = append(rest, job{jobs[i].file, jobs[i].known, hashing.WantSum | hashing.WantDigest})
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return s.readAll(ctx, rest)
}

// open opens a file and takes its stamp before the first byte is read. While
// somebody can write to the file, no stamp vouches for what is read.
func (s *Survey) open(f *File) (io.ReadCloser, error) {
	var r *os.File
	var err error
	if filepath.IsAbs(f.Path) {
		r, err = regular.Open(f.Path)
	} else {
		r, err = s.opt.Assets.OpenFile(f.Path)
	}
	if err != nil {
		return nil, err
	}
	info, err := r.Stat()
	if err != nil {
		r.Close()
		return nil, err
	}
	f.Stamp = scan.StampOf(info)
	f.Settled = s.opt.Clock.Settled(f.Stamp) && lease.File(r) != lease.Busy
	return r, nil
}

// settle records what reading gave and reports whether the blob ID has yet to
// be read.
func (s *Survey) settle(j job, sum hashing.FileSum, err error) (more bool) {
	f := j.file
	if err != nil {
		f.How, f.Err = Unreadable, err
		return false
	}
	s.read.Files.Add(1)
	s.read.Bytes.Add(sum.Size)
	f.Sum = sum.Sum
	switch {
	case j.want&hashing.WantDigest != 0:
		f.Blob = store.BlobID(sum.Digest)
		f.How = ByReading
		if j.known.Path != "" && f.Blob == j.known.Blob {
			f.How = ByChecksum
		}
	case sum.Sum == j.known.Sum && sum.Size == j.known.Stamp.Size:
		f.Blob, f.How = j.known.Blob, ByChecksum
	default:
		return true
	}
	return false
}
