package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A Use is the disk space of the entries of one kind.
type Use struct {
	Kind           string // "blobs", "reads" or "results", as their directory is called
	Files          int
	Bytes          int64     // sizes of the files, without file system overhead
	Oldest, Newest time.Time // times of last use, accurate to an hour; zero without entries
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
