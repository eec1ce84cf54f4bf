package store

import (
	"context"
	"fmt"
	"time"
)

// A Keep is a set of entries that [Store.TrimTo] keeps. The zero value is empty.
type Keep struct {
	ids [kinds]map[[32]byte]bool
}

// Blob adds a blob.
func (k *Keep) Blob(id BlobID) { k.keepItem(blobs, id) }

// Result adds a result and the read sets of its action, but none of its blobs.
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

// keepsEntry reports whether the set has an entry. A nil set is empty.
func (k *Keep) keepsEntry(of kind, id [32]byte) bool { return k != nil && k.ids[of][id] }

// TrimTo deletes all entries that are not in keep, except entries that are used while it runs. If
// interrupted, it has deleted the least recently used of them. Otherwise it is like [Store.Trim].
func (s *Store) TrimTo(ctx context.Context, keep *Keep, now time.Time) (TrimStats, error) {
	stats, err := s.files.evictOldest(ctx, now, keep, func(int64) bool { return true })
	if err != nil {
		return stats, fmt.Errorf("trim store %s: %w", s.dir, err)
	}
	return stats, nil
}
