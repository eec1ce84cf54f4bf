// Package contents determines the current content of each file, and reads as little as possible.
//
// The scan has the stamps of files, and the index has the known stamps and contents. If both have
// the same trusted stamp, the file is not read. Otherwise the package computes the checksum of the
// file. Only if the checksum differs from the known one, or none is known, it also computes the
// blob ID, which takes several times as long.
//
// Stamps are taken before contents are read, and compared again after an asset was cooked, so that
// no content is recorded with a later stamp. The next run does not trust the stamp of a file that
// was open for writing when it was read; see package lease.
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

// How says how the content of a file was determined.
type How uint8

const (
	Absent     How = iota // there is no such file
	Unreadable            // reading failed; File.Err has the error
	Unread                // the file exists, and its content is read later
	ByStamp               // the unchanged stamp proves the content
	ByChecksum            // the unchanged checksum proves the content
	ByReading             // the file was read, and the index did not have this content
)

// A File is one file and its content.
type File struct {
	Path    string
	Stamp   scan.Stamp
	Sum     hashing.Sum128
	Blob    store.BlobID
	Settled bool // set if the next run may trust the stamp
	How     How
	Err     error // the error of an Unreadable file
	// Turn is the logical time when the file was examined. It can be compared with the results of
	// Mark.
	Turn int64
}

// Known reports whether the content is known.
func (f File) Known() bool { return f.How >= ByStamp }

// Known has the files of the last run's index. index.Files implements it.
type Known interface {
	// Checksum returns the name of the checksum function.
	Checksum() string
	File(path string) (index.File, bool)
	// Part finds a listing, a link or an extract. The dependency must have no subject.
	Part(on dependency.Dependency) (index.File, bool)
	// Below yields files and parts in a directory and its subdirectories, in any order.
	Below(folder string) iter.Seq2[dependency.Dependency, index.File]
	// Match yields each of the entries, which are sorted by path, with its known file or nil.
	Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File]
}

// Options are the options of New.
type Options struct {
	Assets   *confine.Dir
	Known    Known
	Checksum hashing.Func
	// IgnoreStamps reads every file.
	IgnoreStamps bool
	// Late postpones reading an asset that is not in the index until [Contents.Learn] or At needs
	// it.
	Late bool
	// Unsettled means that no stamp will be trusted, so the search for open writers is skipped.
	Unsettled bool
	// Artifacts returns the digest of a dependency on artifacts, on artifact IDs, or on one
	// artifact's name.
	Artifacts func(on dependency.Dependency) (store.BlobID, error)
	// Extracts finds an extract by the name and version in a dependency's Function. It may be nil.
	Extracts func(name string) (recipe.Extract, bool)
	// Parts has the results of earlier extracts; nil if there are none.
	Parts *Parts
	// Workers is the number of files to read at once.
	Workers int
	// Clock determines whether a stamp can be trusted. It must have started before any of the
	// stamps was taken.
	Clock *scan.Clock
}

// Contents holds the file contents that were determined so far. After Sources has returned, its
// methods may be called concurrently.
type Contents struct {
	reader *reader
	assets []File

	mu       sync.Mutex
	extra    map[dependency.Dependency]*entry // files that are not assets, and also listings and links
	again    map[dependency.Dependency]reading
	before   map[dependency.Dependency][]string // names of the files with parts in the last run, by extract
	learning map[*File]chan struct{}            // each channel is closed when its asset has been read

	turns atomic.Int64
}

type entry struct {
	once  sync.Once
	file  File
	names []string
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

// Assets returns the assets, sorted by path. While other goroutines may call Learn, the caller must
// skip assets that are Unread.
func (s *Contents) Assets() []File { return s.assets }

// Sources determines the contents of the assets, which must be sorted by path. It stops early only
// when ctx ends; unreadable files are part of the result.
func (s *Contents) Sources(ctx context.Context, entries []scan.Entry) error {
	return s.reader.readContents(ctx, s.judgeAll(entries, nil))
}

// judgeAll determines the contents that stamps prove. For every other asset, it appends a reading
// job to todo.
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

// A Reading lets its caller decide when each asset is read.
type Reading struct {
	s    *Contents
	jobs []job
}

// Begin returns a Reading of the assets. The index must not know any of them.
func (s *Contents) Begin(entries []scan.Entry) Reading {
	return Reading{s, s.judgeAll(entries, make([]job, 0, len(entries)))}
}

// Read determines the content of asset i. Workers may call it concurrently.
func (r Reading) Read(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, i int) {
	sum, err := r.s.reader.sumFile(ctx, w, tree, r.jobs[i])
	r.s.reader.noteRead(r.jobs[i], sum, err)
}

// At returns the current state of a dependency, as a file. It examines each file that is not an
// asset only once.
func (s *Contents) At(ctx context.Context, on dependency.Dependency) File {
	switch on.Kind {
	case dependency.Artifacts, dependency.IDs, dependency.Name:
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

// Learn determines the content of an Unread asset, and returns the asset. For concurrent calls, sum
// is called only once. It must call [Contents.See] before reading.
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
		// Path is not assigned, because other goroutines search for it concurrently.
		asset.Stamp, asset.Settled, asset.Sum, asset.Blob = f.Stamp, f.Settled, f.Sum, f.Blob
		asset.How, asset.Err, asset.Turn = f.How, f.Err, f.Turn
		delete(s.learning, asset)
		close(done)
	}
	return *asset
}

// Mark returns the current logical time, which can be compared with File.Turn.
func (s *Contents) Mark() int64 { return s.turns.Load() }

// Asset returns the asset with a path.
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

// Tool returns a program, or one of its files, by its absolute name.
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

// Extra yields, in any order, the files outside the asset list, the listings, and the links that
// were examined.
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

// contentOutsideTree examines a listing, a link, or a file that is not an asset. It does so only
// once for each.
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
			return
		case err == nil && !info.Mode().IsRegular():
			err = errors.New("the file is not a regular file")
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

// See sets the stamp of a file, as [OpenStamp] returned it before the file was read.
func (s *Contents) See(f *File, stamp scan.Stamp, busy bool) { s.reader.setSeenStamp(f, stamp, busy) }
