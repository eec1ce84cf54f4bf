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

// List returns the names that a listing has, sorted, and whether there is the folder. It
// is looked at once.
func (s *Contents) List(ctx context.Context, l dependency.Dependency) (names []string, found bool, err error) {
	e := s.other(ctx, l, s.opt.Assets.Stat)
	return e.names, e.file.Known(), e.file.Err
}

// lookAt finds out what a listing is: a file whose stamp is that of the folder, and whose
// content are the names. It is read whatever the index knows, which is one call.
func (s *Contents) lookAt(e *entry, l dependency.Dependency) {
	f := &e.file
	names, stamp, err := listFolder(s.opt.Assets, l)
	switch {
	case pathname.IsAbsent(err):
		return // Absent
	case err != nil:
		f.How, f.Err = Unreadable, err
		return
	}
	e.names = names
	s.setContent(f, l, contentOf(names), stamp)
}

// setContent fills f for content that was read after stamp was taken.
func (s *Contents) setContent(f *File, on dependency.Dependency, content []byte, stamp scan.Stamp) {
	f.Stamp, f.Settled, f.How = stamp, s.opt.Clock.Settled(stamp) && !s.opt.Unsettled, ByReading
	sum := s.summer.SumBytes(content, hashing.WantSum|hashing.WantDigest)
	f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
	if known, ok := s.opt.Known.Part(on); ok && known.Blob == f.Blob {
		f.How = ByChecksum
	}
}

// Relist reports whether a listing has the names that it had when it was looked at: by the
// folder's stamp if that may be trusted, else by listing it again. What else happened in the
// folder does not matter: who asked was told the names, and did not look himself.
func (s *Contents) Relist(l dependency.Dependency, f File) (same bool, err error) {
	info, err := s.opt.Assets.Stat(l.Path)
	if err != nil || f.Settled && scan.StampOf(info) == f.Stamp {
		return err == nil, err
	}
	now := scan.StampOf(info)
	content, err := s.readAgain(l, now, func() (reading, bool, error) {
		trusted := s.opt.Clock.SettledSince(now)
		names, stamp, err := listFolder(s.opt.Assets, l)
		return reading{stamp, contentOf(names)}, trusted && stamp == now, err
	})
	return err == nil && s.summer.SumBytes(content, hashing.WantSum).Sum == f.Sum, err
}

func contentOf(names []string) []byte { return []byte(strings.Join(names, "\x00")) }

// listFolder lists a folder; where everything counts, each name has its kind behind a slash. The
// stamp is older than the names.
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
		} else if listed(assets, l, e) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, scan.StampOf(info), err
}

// listed reports whether a pattern chooses an entry of its folder.
func listed(assets *confine.Dir, l dependency.Dependency, e fs.DirEntry) bool {
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

// Named reports whether a listing, or an extract of many files, covers a name: has it if it is
// there, and is of its kind.
func Named(l dependency.Dependency, name string) bool {
	if l.Kind == dependency.Entries {
		return true
	}
	hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(l.Pattern, ".")
	return !hidden && doublestar.MatchUnvalidated(l.Pattern, name)
}
