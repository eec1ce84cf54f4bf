// Package contents finds out the present content of each file, and reads as little as possible.
//
// The scan has the stamps of files, and the index has the known stamps and contents. If both have
// the same trusted stamp, contents reads nothing. Otherwise it computes the checksum of the file.
// Only if the checksum is new, or nothing is known, it also computes the blob ID, which costs
// several times as much.
//
// Stamps are taken before contents are read, and compared again after an asset was cooked, so
// that no content is kept with a younger stamp. The next run does not trust the stamp of a file
// that was open for writing when it was read; see package lease.
package contents

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
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
)

// How is the way in which the content of a file became known.
type How uint8

const (
	Absent     How = iota // no such file
	Unreadable            // reading failed with Err
	Unread                // exists; the content is read later
	ByStamp               // known, with the same stamp
	ByChecksum            // known, with the same checksum
	ByReading             // unknown to the index
)

// A File is one file and its content.
type File struct {
	Path    string
	Stamp   scan.Stamp
	Settled bool // the next run may trust the stamp
	Sum     hashing.Sum128
	Blob    store.BlobID
	How     How
	Err     error // for Unreadable
	// Turn orders the looks at files: this look came after each smaller Mark.
	Turn int64
}

// Known reports whether the content is known.
func (f File) Known() bool { return f.How >= ByStamp }

// Known has the files that the last run knew. An index.Files is one.
type Known interface {
	// Checksum returns the name of the function of all checksums.
	Checksum() string
	File(path string) (index.File, bool)
	// Part finds a listing, a link or an extract without a subject.
	Part(on dependency.Dependency) (index.File, bool)
	// Below yields files and parts in a directory and below it, in any order.
	Below(folder string) iter.Seq2[dependency.Dependency, index.File]
	// Match yields entries, sorted by path, each with its known file or nil.
	Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File]
}

// Options are the options of New.
type Options struct {
	Assets   *confine.Dir
	Known    Known
	Checksum hashing.Func
	// IgnoreStamps reads every file.
	IgnoreStamps bool
	// Late leaves an unknown asset Unread until a call of [Contents.Learn], or of At by
	// path.
	Late bool
	// Unsettled trusts no stamp, which saves asking the system for open writers.
	Unsettled bool
	// Artifacts returns the identity of artifacts, or of their IDs.
	Artifacts func(on dependency.Dependency) (store.BlobID, error)
	// Extracts finds an extract by the function of a dependency. It may be nil.
	Extracts func(name string) (recipe.Extract, bool)
	// Parts has the answers of extracts so far; nil for none.
	Parts *Parts
	// Workers is the number of files to read at once.
	Workers int
	// Clock judges stamps. It started before any stamp here was taken.
	Clock *scan.Clock
}

// Contents holds the contents found so far. Once Sources has returned, many goroutines may call
// its methods.
type Contents struct {
	reader *reader
	assets []File

	mu       sync.Mutex
	extra    map[dependency.Dependency]*entry // other files, listings, links
	again    map[dependency.Dependency]reading
	before   map[dependency.Dependency][]string // files with an answer in the last run
	learning map[*File]chan struct{}            // assets being read; closed at the end

	turns atomic.Int64
}

type entry struct {
	once  sync.Once
	file  File
	names []string // of a listing
}

// New returns empty Contents.
func New(opt Options) *Contents {
	if opt.Parts == nil {
		opt.Parts = NewParts(opt)
	}
	return &Contents{
		reader:   &reader{opt: opt, summer: hashing.NewSummer(opt.Checksum), sameFunc: opt.Known.Checksum() == opt.Checksum.Name},
		extra:    map[dependency.Dependency]*entry{},
		again:    map[dependency.Dependency]reading{},
		before:   map[dependency.Dependency][]string{},
		learning: map[*File]chan struct{}{},
	}
}

// Read returns the counts of files and bytes read so far.
func (s *Contents) Read() *Counts { return &s.reader.read }

// Assets returns the assets, sorted by path. While other goroutines may call Learn, look at
// no Unread asset.
func (s *Contents) Assets() []File { return s.assets }

// Sources finds out the contents of the assets, which are sorted by path. It ends early only with
// ctx; unreadable files are part of the result.
func (s *Contents) Sources(ctx context.Context, entries []scan.Entry) error {
	return s.reader.readContents(ctx, s.judgeAll(entries, nil))
}

// judgeAll finds out contents by stamps. It appends jobs for reading the other assets to todo.
func (s *Contents) judgeAll(entries []scan.Entry, todo []job) []job {
	s.assets = make([]File, len(entries))
	i := 0
	for e, known := range s.reader.opt.Known.Match(entries) {
		s.assets[i] = File{Path: e.Path, Stamp: e.Stamp}
		if known == nil && s.reader.opt.Late {
			s.assets[i].How = Unread
		} else if j := s.reader.judgeStamp(&s.assets[i], known); j.file != nil {
			todo = append(todo, j)
		}
		i++
	}
	return todo
}

// A Reading is Sources for a caller that also reads other files.
type Reading struct {
	s    *Contents
	jobs []job
}

// Begin begins to read the assets. The index must know none of them.
func (s *Contents) Begin(entries []scan.Entry) Reading {
	return Reading{s, s.judgeAll(entries, make([]job, 0, len(entries)))}
}

// Read finds out the content of an asset by number. Many workers may call it.
func (r Reading) Read(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, i int) {
	sum, err := r.s.reader.sumFile(ctx, w, tree, r.jobs[i])
	r.s.reader.noteRead(r.jobs[i], sum, err)
}

// At returns a dependency as it is now, as a file. It looks once at each file that is not an asset.
func (s *Contents) At(ctx context.Context, on dependency.Dependency) File {
	switch on.Kind {
	case dependency.Artifacts, dependency.IDs:
		return s.reader.listArtifacts(on)
	case dependency.Extract, dependency.Extracts:
		return s.reader.opt.Parts.At(on)
	case dependency.Link, dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return s.contentOutsideTree(ctx, on, s.reader.opt.Assets.Stat).file
	case dependency.File, dependency.Presence:
	}
	i, ok := s.findContent(on.Path)
	if !ok {
		return s.contentOutsideTree(ctx, on.Seen(), s.reader.opt.Assets.Stat).file
	}
	if s.reader.opt.Late {
		return s.Learn(&s.assets[i], func(f *File) (hashing.FileSum, error) {
			return s.reader.sumAlone(ctx, job{file: f, want: hashing.WantSum | hashing.WantDigest})
		})
	}
	return s.assets[i]
}

// Learn finds out the content of an Unread asset, and returns the asset. The first caller sums
// it; sum must call [Contents.See] on the open file before reading.
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
		s.reader.noteRead(job{file: &f, want: hashing.WantSum | hashing.WantDigest}, got, err)
		s.mu.Lock()
		// Not Path, because others search by it meanwhile.
		asset.Stamp, asset.Settled, asset.Sum, asset.Blob = f.Stamp, f.Settled, f.Sum, f.Blob
		asset.How, asset.Err, asset.Turn = f.How, f.Err, f.Turn
		delete(s.learning, asset)
		close(done)
	}
	return *asset
}

// Mark returns the present moment, to be compared to File.Turn.
func (s *Contents) Mark() int64 { return s.turns.Load() }

// Asset returns an asset by path.
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

// Tool returns a program or one of its files, by absolute name.
func (s *Contents) Tool(ctx context.Context, file string) (File, error) {
	f := s.contentOutsideTree(ctx, dependency.OfFile(file), os.Stat).file
	switch f.How {
	case Absent:
		return f, fs.ErrNotExist
	case Unreadable:
		return f, f.Err
	}
	return f, nil
}

// Extra yields other files, listings and links that were looked at, in any order.
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

// contentOutsideTree looks once at a file that is no asset, a listing or a link.
func (s *Contents) contentOutsideTree(ctx context.Context, on dependency.Dependency, stat func(string) (fs.FileInfo, error)) *entry {
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
			s.reader.lookAtLink(&e.file, on)
			return
		}
		if on.Kind.IsListing() {
			s.reader.lookAtListing(e, on)
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
		if f, ok := s.reader.opt.Known.File(on.Path); ok {
			known = &f
		}
		if j := s.reader.judgeStamp(&e.file, known); j.file != nil {
			sum, err := s.reader.sumAlone(ctx, j)
			if s.reader.noteRead(j, sum, err) {
				j.want |= hashing.WantDigest
				sum, err = s.reader.sumAlone(ctx, j)
				s.reader.noteRead(j, sum, err)
			}
		}
	})
	return e
}

// See takes the stamp of a file from the open file.
func (s *Contents) See(f *File, r *os.File) error { return s.reader.seeFile(f, r) }
