package dircache

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
)

const (
	refreshAfter = time.Hour      // age of a time of last use that a use updates
	resultsFirst = 2 * time.Hour  // results count as older by this, because blobs are uploaded before them
	mostMarking  = time.Minute    // time that Close waits for files to be marked as used
	leftoverAge  = 24 * time.Hour // age of temporary files that belong to no live process
)

// markUsed updates the time of last use of a file if it differs from the present by more than an
// hour. The file system may refuse this to users who do not own the file; only Trim needs the time.
// The error wraps fs.ErrNotExist if the file does not exist any more.
func (s *server) markUsed(name string, last time.Time) error {
	now := time.Now()
	if now.Sub(last).Abs() <= refreshAfter {
		return nil
	}
	return s.dir.Root().Chtimes(name, now, now)
}

// markResultUsed marks a result and its blobs as used. A run does not read blobs that it has, but
// other machines need these blobs as long as the result exists.
func (s *server) markResultUsed(name string, last time.Time, r *messages.ActionResult) {
	if time.Since(last).Abs() <= refreshAfter || s.markUsed(name, last) != nil {
		return
	}
	for _, f := range r.OutputFiles {
		s.markBlobUsed(f.Digest, last)
	}
	for _, d := range r.OutputDirectories {
		s.marking.Go(func() { s.markTreeUsed(d.TreeDigest, last) }) // may take longer than a request
	}
}

// markTreeUsed marks a Tree and its files as used. It ignores errors, because the machine that reads
// the tree reports them.
func (s *server) markTreeUsed(d share.Digest, last time.Time) {
	s.markBlobUsed(d, last)
	encoded, err := s.readTree(d)
	if err != nil {
		return
	}
	files, _ := share.TreeBlobs(encoded, s.Traits().Function)
	share.Each(len(files), func(i int) error {
		s.markBlobUsed(files[i], last)
		return nil
	})
}

func (s *server) markBlobUsed(d share.Digest, last time.Time) {
	if blob, err := fileOf("cas", d.Hash); err == nil {
		s.markUsed(blob, last)
	}
}

// readTree returns the content of a Tree.
func (s *server) readTree(d share.Digest) ([]byte, error) {
	if d.Size > share.MaxTree {
		return nil, errors.New("the tree is too large")
	}
	r, err := s.Read(context.Background(), d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, d.Size))
}

// Limits are the limits of a directory. A zero field is no limit.
type Limits struct {
	Size   int64         // sum of the file sizes in bytes
	Unused time.Duration // time since the last use of a file
}

// Trimmed is the result of a [Trim]. Sizes are sums of file sizes.
type Trimmed struct {
	Before, After int64 // size of the directory in bytes
	Removed       int   // number of removed files
}

// An entry is a listed file. It takes 56 bytes, so that a million entries fit in memory.
type entry struct {
	used int64 // mtime in ns since 1970
	size int64
	hash [32]byte
	kind string
}

func (e *entry) path() string { return path.Join(e.kind, hex.EncodeToString(e.hash[:])) }

// age orders entries by their last use, results before their blobs.
func (e *entry) age() int64 {
	if e.kind == "ac" {
		return e.used - int64(resultsFirst)
	}
	return e.used
}

// Trim removes the least recently used files of the directory at an address until the directory is
// within its limits. It also removes temporary files of killed processes that are a day old.
//
// Other machines may use the directory meanwhile. A file that is removed before its use is a miss,
// and the next upload writes the file again. A file that is used while Trim runs is kept. Trim skips
// files that another machine prevents from being removed, and returns the first other error at the
// end.
func Trim(ctx context.Context, address *url.URL, keep Limits, now time.Time) (Trimmed, error) {
	opened, err := Open(ctx, address, nil)
	if err != nil {
		return Trimmed{}, err
	}
	s := opened.(*server)
	defer s.Close()
	var all []entry
	for _, kind := range [...]string{"ac", "cas"} {
		found, err := s.listUses(ctx, kind, now)
		if err != nil {
			return Trimmed{}, fmt.Errorf("nothing is removed: %w", err)
		}
		all = append(all, found...)
	}
	return s.removeOldest(ctx, all, keep, now)
}

// listUses returns the files of a kind, and removes old temporary files. Other files are foreign:
// they are neither counted nor removed.
func (s *server) listUses(ctx context.Context, kind string, now time.Time) ([]entry, error) {
	files, err := s.dir.ReadDir(kind)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(files))
	err = share.Each(len(files), func(i int) error {
		file := files[i].Name()
		name := path.Join(kind, file)
		isLeftover := strings.HasPrefix(file, atomicfile.Prefix)
		if _, err := fileOf(kind, file); ctx.Err() != nil || err != nil && !isLeftover {
			return ctx.Err()
		}
		info, err := s.dir.Root().Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.Mode().IsRegular():
		case isLeftover && now.Sub(info.ModTime()) >= leftoverAge:
			s.dir.Root().Remove(name) // after an error, the next Trim tries again
		case !isLeftover:
			e := &all[i]
			e.used, e.size, e.kind = info.ModTime().UnixNano(), info.Size(), kind
			hex.Decode(e.hash[:], []byte(file))
		}
		return nil
	})
	return slices.DeleteFunc(all, func(e entry) bool { return e.kind == "" }), err
}

// removeOldest removes entries, least recently used first, until the rest is within the limits.
func (s *server) removeOldest(ctx context.Context, all []entry, keep Limits, now time.Time) (t Trimmed, firstErr error) {
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.age(), b.age()), cmp.Compare(a.kind, b.kind), bytes.Compare(a.hash[:], b.hash[:]))
	})
	for i := range all {
		t.Before += all[i].size
	}
	t.After = t.Before
	for i := range all {
		e := &all[i]
		tooOld := keep.Unused > 0 && now.Sub(time.Unix(0, e.used)) > keep.Unused
		if !tooOld && (keep.Size == 0 || t.After <= keep.Size) {
			continue
		}
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		removed, err := s.removeUnused(e)
		var busy *busyfile.Error
		if err != nil && !errors.As(err, &busy) {
			firstErr = cmp.Or(firstErr, err)
		}
		if removed {
			t.After -= e.size
			t.Removed++
		}
	}
	return t, firstErr
}

// removeUnused removes a file unless it was used since it was listed. The file first gets another
// name. So a machine that marks the file as used either does so earlier, and the file gets its name
// back, or finds that the file is missing.
func (s *server) removeUnused(e *entry) (removed bool, err error) {
	root, name := s.dir.Root(), e.path()
	last := path.Join(e.kind, atomicfile.Prefix+path.Base(name))
	unused := false
	if unused, err = s.isUnused(name, e); unused {
		err = root.Rename(name, last)
	}
	if unused && err == nil {
		if unused, err = s.isUnused(last, e); unused {
			err = root.Remove(last)
		} else if err == nil {
			err = root.Rename(last, name)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // another machine removed the file
	}
	return unused && err == nil, err
}

// isUnused reports whether a file still has the time of last use that the listing found.
func (s *server) isUnused(name string, e *entry) (bool, error) {
	info, err := s.dir.Root().Lstat(name)
	return err == nil && info.ModTime().UnixNano() == e.used, err
}
