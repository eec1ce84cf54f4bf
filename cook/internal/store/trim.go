package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/regular"
)

const (
	trimEvery    = 24 * time.Hour
	leftoverAge  = 24 * time.Hour // age of files in tmp that belong to no live process
	addedPortion = 20             // a trim is due when limit/addedPortion bytes were added
)

// TrimStats are the results of a Trim. Sizes are sums of file sizes, without overhead of the file
// system.
type TrimStats struct {
	Before, After int64 // size of the store in bytes
	Removed       int   // number of entries
}

// entry is a listed file. It takes 56 bytes, so that a million entries fit in memory.
type entry struct {
	used int64 // mtime in ns since 1970
	size int64
	id   [32]byte
	kind kind
}

// Trim deletes the least recently used entries until at most limit bytes remain; a limit of 0
// or less keeps at most empty files. It also deletes temporary files of killed processes that
// are a day old or older.
//
// Other processes may use the store meanwhile: an entry that is deleted before its use is a
// miss, and an entry that is used while Trim runs is kept. Trim skips entries that cannot be
// deleted and returns the first such error at the end.
func (s *Store) Trim(ctx context.Context, limit int64, now time.Time) (TrimStats, error) {
	limit = max(limit, 0)
	stats, err := s.files.evictOldest(ctx, now, nil, func(left int64) bool { return left > limit })
	if err != nil {
		return stats, fmt.Errorf("trim store %s: %w", s.dir, err)
	}
	return stats, nil
}

// evictOldest deletes entries, least recently used first. It continues while the function more
// returns true for the number of remaining bytes. It skips entries in keep.
func (d *entryFiles) evictOldest(ctx context.Context, now time.Time, keep *Keep, more func(left int64) bool) (TrimStats, error) {
	if d.readOnly {
		return TrimStats{}, ErrReadOnly
	}
	added := d.added.Load()
	firstErr := d.sweepTmp(now)
	var entries []entry
	var stats TrimStats
	for k := range kinds {
		found, err := d.listStored(ctx, k)
		if err != nil {
			return TrimStats{}, err
		}
		for _, e := range found {
			stats.Before += e.size
			if !keep.keepsEntry(e.kind, e.id) {
				entries = append(entries, e)
			}
		}
	}
	stats.After = stats.Before
	// The order of entries with equal times is fixed. So two processes that trim at the same time
	// choose the same entries.
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.kind, b.kind), bytes.Compare(a.id[:], b.id[:]))
	})
	for _, e := range entries {
		if !more(stats.After) {
			break
		}
		if err := ctx.Err(); err != nil {
			return stats, err
		}
		switch removed, err := d.evictEntry(e); {
		case errors.Is(err, fs.ErrNotExist):
			stats.After -= e.size // entry that another process has deleted
		case err != nil:
			firstErr = cmp.Or(firstErr, err)
		case removed:
			stats.After -= e.size
			stats.Removed++
		}
	}
	d.added.Add(-added)
	firstErr = cmp.Or(firstErr, d.stampTrim(now))
	if firstErr != nil {
		return stats, fmt.Errorf("%w: %w", ErrUnavailable, firstErr)
	}
	return stats, nil
}

// evictEntry removes an entry unless it was used since it was listed, or another process prevents the
// removal.
func (d *entryFiles) evictEntry(e entry) (bool, error) {
	path := d.entryPath(e.kind, e.id)
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	if info.ModTime().UnixNano() != e.used {
		return false, nil
	}
	err = d.removeEntry(path)
	var busy *busyfile.Error
	if errors.As(err, &busy) {
		return false, nil
	}
	return err == nil, err
}

// listStored returns the entries of a kind. A file whose name is not the name of an entry is
// foreign: it is neither counted nor deleted.
func (d *entryFiles) listStored(ctx context.Context, k kind) ([]entry, error) {
	shards, err := os.ReadDir(d.kindFolder(k))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var entries []entry
	for _, shard := range shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(shard.Name()) != 2 || !shard.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(d.kindFolder(k), shard.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		for _, f := range files {
			id, err := ParseBlobID(f.Name())
			if err != nil || f.Name()[:2] != shard.Name() {
				continue
			}
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // the file was just deleted, or is not a regular file, which CopyBlob reports
			}
			entries = append(entries, entry{used: info.ModTime().UnixNano(), size: info.Size(), id: id, kind: k})
		}
	}
	return entries, nil
}

// sweepTmp removes old temporary files. It continues after an error and returns the first one.
func (d *entryFiles) sweepTmp(now time.Time) error {
	files, err := os.ReadDir(d.tmp())
	if err != nil {
		return err
	}
	var firstErr error
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !strings.HasPrefix(f.Name(), atomicfile.Prefix) || now.Sub(info.ModTime()) < leftoverAge {
			continue
		}
		if err := d.removeEntry(filepath.Join(d.tmp(), f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			firstErr = cmp.Or(firstErr, err)
		}
	}
	return firstErr
}

// TrimDue reports whether a Trim to limit is worthwhile: if the last Trim, by any process,
// ended a day ago or more, or if this Store has added more than 5 % of limit since. A time of
// last trim in the future is ignored.
func (s *Store) TrimDue(now time.Time, limit int64) bool {
	if s.files.readOnly {
		return false
	}
	if s.files.added.Load() > limit/addedPortion {
		return true
	}
	info, err := os.Lstat(trimStamp(s.files.root))
	if err != nil || !info.Mode().IsRegular() {
		return true
	}
	age := now.Sub(info.ModTime())
	return age >= trimEvery || age <= -trimEvery
}

func trimStamp(root string) string { return filepath.Join(root, "trimmed") }

// stampTrim records the time of a trim in a file. If something else is at the path of the file,
// such as a pipe or a link, stampTrim removes it.
func (d *entryFiles) stampTrim(now time.Time) error {
	if info, err := os.Lstat(trimStamp(d.root)); err == nil && !info.Mode().IsRegular() {
		if err := d.removeEntry(trimStamp(d.root)); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(trimStamp(d.root), os.O_WRONLY|os.O_CREATE|regular.NoWait, 0o666)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(trimStamp(d.root), now, now)
}

// A Use is the disk space that the entries of one kind use.
type Use struct {
	Kind           string // "blobs", "reads" or "results", as their directory is called
	Files          int
	Bytes          int64     // sizes of the files, without file system overhead
	Oldest, Newest time.Time // times of last use, accurate to an hour; zero if there are no entries
}

// Usage returns the disk space of each kind of entries, and calls each for every blob if each is
// not nil. It changes nothing. If there is no store, the error wraps fs.ErrNotExist.
func (s *Store) Usage(ctx context.Context, each func(id BlobID, size int64)) ([]Use, error) {
	if _, err := os.Stat(s.files.root); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store %s: %w", s.dir, fs.ErrNotExist)
	}
	var all []Use
	for k := range kinds {
		entries, err := s.files.listStored(ctx, k)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("store %s: %w", s.dir, err)
		}
		u := Use{Kind: k.String(), Files: len(entries)}
		for i := range entries {
			e := &entries[i]
			u.Bytes += e.size
			if at := time.Unix(0, e.used); i == 0 || at.Before(u.Oldest) {
				u.Oldest = at
			}
			if at := time.Unix(0, e.used); at.After(u.Newest) {
				u.Newest = at
			}
			if k == blobs && each != nil {
				each(e.id, e.size)
			}
		}
		all = append(all, u)
	}
	return all, nil
}

// A Keep is a set of entries that [Store.TrimTo] keeps. The zero value is empty.
type Keep struct {
	ids [kinds]map[[32]byte]bool
}

// Blob adds a blob.
func (k *Keep) Blob(id BlobID) { k.keepItem(blobs, id) }

// Result adds a result and the read sets of its action, but not its blobs.
func (k *Keep) Result(action ActionID, id ResultID) {
	k.keepItem(reads, action)
	k.keepItem(results, id)
}

func (k *Keep) keepItem(of kind, id [32]byte) {
	if k.ids[of] == nil {
		k.ids[of] = map[[32]byte]bool{}
	}
	k.ids[of][id] = true
}

// keepsEntry reports whether the set contains an entry. A nil set is empty.
func (k *Keep) keepsEntry(of kind, id [32]byte) bool { return k != nil && k.ids[of][id] }

// TrimTo deletes all entries that are not in keep, except entries that are used while it runs. If
// it is interrupted, it has deleted only the least recently used of these entries. Apart from that,
// it is like [Store.Trim].
func (s *Store) TrimTo(ctx context.Context, keep *Keep, now time.Time) (TrimStats, error) {
	stats, err := s.files.evictOldest(ctx, now, keep, func(int64) bool { return true })
	if err != nil {
		return stats, fmt.Errorf("trim store %s: %w", s.dir, err)
	}
	return stats, nil
}
