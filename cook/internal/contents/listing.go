package contents

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// List returns the names in a listing, sorted, and whether the directory exists. It lists each
// directory once.
func (s *Contents) List(ctx context.Context, l dependency.Dependency) (names []string, found bool, err error) {
	e := s.contentOutsideTree(ctx, l, s.reader.opt.Assets.Stat)
	return e.names, e.file.Known(), e.file.Err
}

// lookAtListing fills in e for a listing: the stamp of the directory, and the names as content. It
// always lists the directory, because one system call suffices.
func (rd *reader) lookAtListing(e *entry, l dependency.Dependency) {
	f := &e.file
	names, stamp, err := listFolder(rd.opt.Assets, l)
	switch {
	case pathname.IsAbsent(err):
		return
	case err != nil:
		f.How, f.Err = Unreadable, err
		return
	}
	e.names = names
	rd.setContent(f, l, contentOf(names), stamp)
}

// setContent fills in f for content that was read after the stamp of f was taken.
func (rd *reader) setContent(f *File, on dependency.Dependency, content []byte, stamp scan.Stamp) {
	f.Stamp, f.Settled, f.How = stamp, rd.opt.Clock.Settled(stamp) && !rd.opt.Unsettled, ByReading
	sum := rd.summer.SumBytes(content, hashing.WantSum|hashing.WantDigest)
	f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
	if known, ok := rd.opt.Known.Part(on); ok && known.Blob == f.Blob {
		f.How = ByChecksum
	}
}

// Relist reports whether a listing still has the names in f. If a trusted stamp of the directory is
// unchanged, Relist need not list the directory again. Only the names count, because recipes see
// nothing else.
func (s *Contents) Relist(l dependency.Dependency, f File) (same bool, err error) {
	info, err := s.reader.opt.Assets.Stat(l.Path)
	if err != nil || f.Settled && scan.StampOf(info) == f.Stamp {
		return err == nil, err
	}
	now := scan.StampOf(info)
	content, err := s.readAgain(l, now, func() (reading, bool, error) {
		trusted := s.reader.opt.Clock.SettledSince(now)
		names, stamp, err := listFolder(s.reader.opt.Assets, l)
		return reading{stamp, contentOf(names)}, trusted && stamp == now, err
	})
	return err == nil && s.reader.summer.SumBytes(content, hashing.WantSum).Sum == f.Sum, err
}

func contentOf(names []string) []byte { return []byte(strings.Join(names, "\x00")) }

// listFolder lists a directory, after it has taken the stamp. For a dependency of kind Entries,
// each name is followed by a slash and its type.
func listFolder(assets *confine.Dir, l dependency.Dependency) (names []string, stamp scan.Stamp, err error) {
	info, err := assets.Stat(l.Path)
	if err != nil {
		return nil, stamp, err
	}
	if !info.IsDir() {
		return nil, stamp, fs.ErrNotExist
	}
	entries, err := assets.ReadDir(l.Path)
	for _, e := range entries {
		if l.Kind == dependency.Entries {
			names = append(names, e.Name()+"/"+e.Type().String())
		} else if listedNames(assets, l, e) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, scan.StampOf(info), err
}

// listedNames reports whether a pattern selects an entry of its directory.
func listedNames(assets *confine.Dir, l dependency.Dependency, e fs.DirEntry) bool {
	if !Named(l, e.Name()) {
		return false
	}
	folders := l.Kind == dependency.Folders
	if folders || e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir() && folders || e.Type().IsRegular() && !folders
	}
	info, err := assets.Stat(strings.TrimPrefix(l.Path+"/", "./") + e.Name())
	return err == nil && info.Mode().IsRegular()
}

// Named reports whether a listing, or an extract of many files, would include a file of that name.
func Named(l dependency.Dependency, name string) bool {
	if l.Kind == dependency.Entries {
		return true
	}
	hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(l.Pattern, ".")
	return !hidden && doublestar.MatchUnvalidated(l.Pattern, name)
}

// A reading is the content of a file or directory, with a stamp that proves the content.
type reading struct {
	stamp scan.Stamp
	data  []byte
}

// readAgain returns the content of a dependency under its current stamp. It caches the content as
// soon as the stamp can be trusted; until then, it calls read for each request.
func (s *Contents) readAgain(on dependency.Dependency, now scan.Stamp, read func() (r reading, trusted bool, err error)) ([]byte, error) {
	s.mu.Lock()
	known, ok := s.again[on]
	s.mu.Unlock()
	if ok && known.stamp == now {
		return known.data, nil
	}
	r, trusted, err := read()
	if err == nil && trusted {
		s.mu.Lock()
		s.again[on] = r
		s.mu.Unlock()
	}
	return r.data, err
}

// IsLink reports whether a name of the asset tree is a symbolic link. It examines each name only
// once.
func (s *Contents) IsLink(ctx context.Context, path string) (bool, error) {
	f := s.At(ctx, dependency.Dependency{Kind: dependency.Link, Path: path})
	return f.Known(), f.Err
}

// lookAtLink fills in f for a symbolic link, with the text of the link as content. For any other
// file, f is absent.
func (rd *reader) lookAtLink(f *File, on dependency.Dependency) {
	text, stamp, err := rd.readLink(on.Path)
	switch {
	case pathname.IsAbsent(err):
		return
	case err != nil:
		f.How, f.Err = Unreadable, err
		return
	}
	rd.setContent(f, on, []byte(text), stamp)
}

// readLink returns the text of a symbolic link, and the link's stamp, which it takes first. If the
// name is not a link, the error is fs.ErrNotExist.
func (rd *reader) readLink(link string) (text string, stamp scan.Stamp, err error) {
	root := rd.opt.Assets.Root()
	info, err := root.Lstat(link)
	if err != nil {
		return "", stamp, err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return "", stamp, fs.ErrNotExist
	}
	text, err = root.Readlink(link)
	return text, scan.StampOf(info), err
}

// Relink reports whether a link still has the text recorded in f.
func (s *Contents) Relink(f File) (same bool, err error) {
	text, _, err := s.reader.readLink(f.Path)
	return err == nil && s.reader.summer.SumBytes([]byte(text), hashing.WantSum).Sum == f.Sum, err
}
