// Package contents finds out what the content of each file is now, and reads no more
// than it must.
//
// The scan says how files look from outside; the index says what their contents were.
// Where both agree on a stamp that could be trusted, nothing is read. Otherwise the
// file's checksum is computed, and only if that is new, or nothing is known to compare
// it with, its blob ID as well, which costs several times as much.
//
// Stamps are taken before contents are read and compared again after an asset was
// cooked, so that no content is ever kept under a stamp that is younger than it. The
// stamp of a file that is open for writing when it is read is not trusted by the next
// run, which reads the file again; see package lease.
package contents

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/regular"
)

// How says by what a file's content is known.
type How uint8

const (
	Absent     How = iota // there is no such file
	Unreadable            // there is, but Err kept it from being read
	Unread                // there is; its content is found out later
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
	// Turn tells when the file was looked at: after a Mark that is smaller.
	Turn int64
}

// Known reports whether the content is known.
func (f File) Known() bool { return f.How >= ByStamp }

// Known is what the last run knew of files. An *index.Index is one.
type Known interface {
	// Checksum names the function of all sums.
	Checksum() string
	File(path string) (index.File, bool)
	// Part finds a listing, a link or an extract without a subject.
	Part(on dependency.Dependency) (index.File, bool)
	// Below yields files and parts in a folder and below it, in no order.
	Below(folder string) iter.Seq2[dependency.Dependency, index.File]
	// Match yields entries, which are sorted by path, with what is known of each.
	Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File]
}

// Options say what to look at.
type Options struct {
	Assets   *confine.Dir
	Known    Known
	Checksum hashing.Func
	// IgnoreStamps reads every file.
	IgnoreStamps bool
	// Late leaves an asset of which nothing is known Unread until [Contents.Learn] is
	// called for it, or it is asked for by its path.
	Late bool
	// Unsettled trusts no stamp later either, which saves asking about open writers.
	Unsettled bool
	// Artifacts returns the identity of artifacts, or of their IDs.
	Artifacts func(on dependency.Dependency) (store.BlobID, error)
	// Extracts finds an extract by the function of a dependency. A nil one has none.
	Extracts func(name string) (recipe.Extract, bool)
	// Parts are what extracts of files say, as far as they were asked for before; nil for nothing.
	Parts *Parts
	// Workers is how many files are read at once.
	Workers int
	// Clock judges stamps. No stamp that is seen here was taken before it was started.
	Clock *scan.Clock
}

// Contents holds what has been found. Its methods may be called by many goroutines
// once Sources has returned.
type Contents struct {
	opt      Options
	summer   *hashing.Summer
	sameFunc bool // the sums that are known are of the function that we compute
	assets   []File

	mu       sync.Mutex
	extra    map[dependency.Dependency]*entry // files that are no assets, listings, links
	again    map[dependency.Dependency]reading
	before   map[dependency.Dependency][]string // the files that said something
	learning map[*File]chan struct{}            // assets that are being read, closed when they are

	read  Counts
	turns atomic.Int64
}

type entry struct {
	once  sync.Once
	file  File
	names []string // of a listing
}

// Counts are what has been read.
type Counts struct{ Files, Bytes atomic.Int64 }

// New starts with nothing found.
func New(opt Options) *Contents {
	if opt.Parts == nil {
		opt.Parts = NewParts(opt)
	}
	return &Contents{
		opt:      opt,
		summer:   hashing.NewSummer(opt.Checksum),
		sameFunc: opt.Known.Checksum() == opt.Checksum.Name,
		extra:    map[dependency.Dependency]*entry{},
		again:    map[dependency.Dependency]reading{},
		before:   map[dependency.Dependency][]string{},
		learning: map[*File]chan struct{}{},
	}
}

// Read counts the files and bytes read so far.
func (s *Contents) Read() *Counts { return &s.read }

// Assets returns the assets in the order of their paths. Those that are Unread must not
// be looked at while others may learn what they hold.
func (s *Contents) Assets() []File { return s.assets }

// Sources finds out the contents of the assets, which are sorted by path. It ends
// early only with ctx; files that cannot be read are in the result.
func (s *Contents) Sources(ctx context.Context, entries []scan.Entry) error {
	return s.readAll(ctx, s.judgeAll(entries, nil))
}

// judgeAll finds out by stamps what the contents of the assets are, and returns the jobs
// of reading the others, appended to todo.
func (s *Contents) judgeAll(entries []scan.Entry, todo []job) []job {
	s.assets = make([]File, len(entries))
	i := 0
	for e, known := range s.opt.Known.Match(entries) {
		s.assets[i] = File{Path: e.Path, Stamp: e.Stamp}
		if known == nil && s.opt.Late {
			s.assets[i].How = Unread
		} else if j := s.judge(&s.assets[i], known); j.file != nil {
			todo = append(todo, j)
		}
		i++
	}
	return todo
}

// A Reading is Sources for a caller that reads other files at the same time.
type Reading struct {
	s    *Contents
	jobs []job
}

// Begin lists the assets. Nothing must be known of them, so that all are to be read.
func (s *Contents) Begin(entries []scan.Entry) Reading {
	return Reading{s, s.judgeAll(entries, make([]job, 0, len(entries)))}
}

// Read finds out the content of the asset of that number. Several workers may do so.
func (r Reading) Read(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, i int) {
	sum, err := r.s.sum(ctx, w, tree, r.jobs[i])
	r.s.note(r.jobs[i], sum, err)
}

// At returns what a dependency is now, as a file. It first looks at what is no asset.
func (s *Contents) At(ctx context.Context, on dependency.Dependency) File {
	switch on.Kind {
	case dependency.Artifacts, dependency.IDs:
		return s.artifacts(on)
	case dependency.Extract, dependency.Extracts:
		return s.opt.Parts.At(on)
	case dependency.Link, dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return s.other(ctx, on, s.opt.Assets.Stat).file
	case dependency.File, dependency.Presence:
	}
	i, ok := s.findContent(on.Path)
	if !ok {
		return s.other(ctx, on.Seen(), s.opt.Assets.Stat).file
	}
	if s.opt.Late {
		return s.Learn(&s.assets[i], func(f *File) (hashing.FileSum, error) {
			return s.sumAlone(ctx, job{file: f, want: hashing.WantSum | hashing.WantDigest})
		})
	}
	return s.assets[i]
}

// artifacts returns artifacts as a file that cannot change unseen: they change while a run
// makes them, and who asks has waited for that.
func (s *Contents) artifacts(on dependency.Dependency) File {
	f := File{Path: on.Path, How: ByReading, Settled: true}
	if f.Blob, f.Err = s.opt.Artifacts(on); f.Err != nil {
		f.How = Unreadable
	}
	return f
}

// Learn finds out what an asset holds if it is Unread, and returns it. The first caller
// sums it; sum has to [Contents.See] the open file before it reads.
func (s *Contents) Learn(asset *File, sum func(f *File) (hashing.FileSum, error)) File {
	s.mu.Lock()
	defer s.mu.Unlock()
	for asset.How == Unread {
		if done, ok := s.learning[asset]; ok {
			s.mu.Unlock()
			<-done
			s.mu.Lock()
			continue
		}
		done := make(chan struct{})
		s.learning[asset] = done
		f := *asset
		s.mu.Unlock()
		f.Turn = s.turns.Add(1)
		got, err := sum(&f)
		s.note(job{file: &f, want: hashing.WantSum | hashing.WantDigest}, got, err)
		s.mu.Lock()
		// All but Path, by which others search meanwhile.
		asset.Stamp, asset.Settled, asset.Sum, asset.Blob = f.Stamp, f.Settled, f.Sum, f.Blob
		asset.How, asset.Err, asset.Turn = f.How, f.Err, f.Turn
		delete(s.learning, asset)
		close(done)
	}
	return *asset
}

// Mark is the moment now, to be compared with File.Turn.
func (s *Contents) Mark() int64 { return s.turns.Load() }

// Asset returns an asset as it is known.
func (s *Contents) Asset(path string) (File, bool) {
	if i, ok := s.findContent(path); ok {
		return s.assets[i], true
	}
	return File{}, false
}

func (s *Contents) findContent(path string) (i int, ok bool) {
	i = sort.Search(len(s.assets), func(i int) bool { return s.assets[i].Path >= path })
	return i, i < len(s.assets) && s.assets[i].Path == path
}

// Tool returns a program, or a file that belongs to one, by its absolute name.
func (s *Contents) Tool(ctx context.Context, file string) (File, error) {
	f := s.other(ctx, dependency.OfFile(file), os.Stat).file
	switch f.How {
	case Absent:
		return f, fs.ErrNotExist
	case Unreadable:
		return f, f.Err
	}
	return f, nil
}

// Extra yields the files looked at that are no assets, listings and links, in any order.
func (s *Contents) Extra() iter.Seq2[dependency.Dependency, File] {
	return func(yield func(dependency.Dependency, File) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for on, e := range s.extra {
			if e.file.Known() && !yield(on, e.file) {
				return
			}
		}
	}
}

// other looks at a file that is no asset, a listing or a link, once.
func (s *Contents) other(ctx context.Context, on dependency.Dependency, stat func(string) (fs.FileInfo, error)) *entry {
	s.mu.Lock()
	e, ok := s.extra[on]
	if !ok {
		e = &entry{file: File{Path: on.Path}}
		s.extra[on] = e
	}
	s.mu.Unlock()
	e.once.Do(func() {
		e.file.Turn = s.turns.Add(1)
		if on.Kind == dependency.Link {
			s.lookAtLink(&e.file, on)
			return
		}
		if on.Kind.IsListing() {
			s.lookAt(e, on)
			return
		}
		info, err := stat(on.Path)
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
		var known *index.File
		if f, ok := s.opt.Known.File(on.Path); ok {
			known = &f
		}
		if j := s.judge(&e.file, known); j.file != nil {
			sum, err := s.sumAlone(ctx, j)
			if s.note(j, sum, err) {
				j.want |= hashing.WantDigest
				sum, err = s.sumAlone(ctx, j)
				s.note(j, sum, err)
			}
		}
	})
	return e
}

// A job is a file to be read and what is known of it.
type job struct {
	file  *File
	known *index.File // nil for nothing
	want  hashing.Want
}

// judge finds out a file's content by its stamp, or returns the job of reading it.
func (s *Contents) judge(f *File, known *index.File) job {
	f.Settled = s.opt.Clock.Settled(f.Stamp)
	if known == nil || known.Blob == (store.BlobID{}) { // the latter of rules that no asset has read
		return job{file: f, want: hashing.WantSum | hashing.WantDigest}
	}
	if known.Settled && known.Stamp == f.Stamp && s.sameFunc && !s.opt.IgnoreStamps {
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
func (s *Contents) readAll(ctx context.Context, jobs []job) error {
	again := make([]bool, len(jobs))
	tree := bulk.OpenTree(s.opt.Assets)
	defer tree.Close()
	runs := bulk.Runs(len(jobs), func(i, j int) bool { return bulk.SameFolder(jobs[i].file.Path, jobs[j].file.Path) },
		func(i int) int64 { return jobs[i].file.Stamp.Size })
	err := bulk.Each(ctx, s.opt.Workers, s.summer, runs, func(w *bulk.Worker, r bulk.Run) error {
		for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
			sum, err := s.sum(ctx, w, &tree, jobs[i])
			again[i] = s.note(jobs[i], sum, err)
		}
		return ctx.Err()
	})
	if err != nil {
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

// sum reads a file, and takes its stamp before the first byte is read. While another
// process can write to the file, no stamp proves what is read.
func (s *Contents) sum(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, j job) (hashing.FileSum, error) {
	if got, err := w.Sum(tree, j.file.Path, bulk.Ask{Want: j.want, Busy: !s.opt.Unsettled}); err == nil {
		j.file.Stamp = got.Stamp
		j.file.Settled = s.opt.Clock.Settled(got.Stamp) && !got.Busy && !s.opt.Unsettled
		return got.FileSum, nil
	}
	return s.sumAlone(ctx, j) // through a link, perhaps, or for the reason why not
}

// sumAlone is sum for a file that is not one of many.
func (s *Contents) sumAlone(ctx context.Context, j job) (hashing.FileSum, error) {
	r, err := s.openSource(j.file)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer r.Close()
	return s.summer.Sum(ctx, r, j.want)
}

func (s *Contents) openSource(f *File) (io.ReadCloser, error) {
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
	if err := s.See(f, r); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// See takes a file's stamp from it once it is open.
func (s *Contents) See(f *File, r *os.File) error {
	info, err := r.Stat()
	if err != nil {
		return err
	}
	f.Stamp = scan.StampOf(info)
	f.Settled = s.opt.Clock.Settled(f.Stamp) && lease.File(r) != lease.Busy
	return nil
}

// note records what reading gave and reports whether the blob ID has yet to be read.
func (s *Contents) note(j job, sum hashing.FileSum, err error) (more bool) {
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
		if j.known != nil && f.Blob == j.known.Blob {
			f.How = ByChecksum
		}
	case sum.Sum == j.known.Sum && sum.Size == j.known.Stamp.Size:
		f.Blob, f.How = j.known.Blob, ByChecksum
	default:
		return true
	}
	return false
}
