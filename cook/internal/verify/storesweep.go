package verify

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A storeSweep reads the results and blobs of a store, action by action. It changes nothing. A nil
// storeSweep has none.
type storeSweep struct {
	opened  *store.Store
	tree    bulk.Tree
	folders [256]bool
	recipes *recipeset.Set

	mu     sync.Mutex
	stores map[*index.Field]bool // whether the store may have results of a method
	// seen has the first bytes of the intact blobs. It is only for counting them.
	seen map[uint64]struct{}
}

// newStoreSweep returns a storeSweep for an open store. It returns nil if there is none.
func newStoreSweep(s *session.Session, opened *store.Store) *storeSweep {
	if opened == nil {
		return nil
	}
	return &storeSweep{
		opened: opened, tree: bulk.OpenFolder(opened.Root()), folders: opened.BlobFolders(), recipes: s.Basis.Recipes,
		stores: map[*index.Field]bool{}, seen: map[uint64]struct{}{},
	}
}

// closeStore closes the directory of the store.
func (s *storeSweep) closeStore() {
	if s != nil {
		s.tree.Close()
	}
}

// passesStored reports whether the store has nothing to report about an action without dependencies:
// it has the same result, or none, and no damaged blob.
func (s *storeSweep) passesStored(w *bulk.Worker, row *index.Row) bool {
	if s == nil || !s.mayStore(row.Method()) {
		return true
	}
	if !s.sameResult(w, row) {
		return false
	}
	for k := range row.Made() {
		size, id := row.ArtifactContent(k)
		if !s.folders[id[0]] {
			continue
		}
		got, err := w.Sum(&s.tree, store.BlobFile(id), bulk.Ask{Want: hashing.WantDigest})
		switch {
		case errors.Is(err, fs.ErrNotExist): // the store may be trimmed at any time
		case err != nil || got.Size != size || store.BlobID(got.Digest) != id:
			return false
		default:
			s.opened.UsedBlob(id, got.Stamp.MTime)
			s.mu.Lock()
			s.seen[blobPrefix(id)] = struct{}{}
			s.mu.Unlock()
		}
	}
	return true
}

func blobPrefix(id store.BlobID) uint64 { return binary.LittleEndian.Uint64(id[:]) }

// mayStore reports whether the store may have results of a method.
func (s *storeSweep) mayStore(m index.Method) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stores, ok := s.stores[&m[0]]
	if !ok {
		stores = lookup.StoresMethod(m, s.recipes)
		s.stores[&m[0]] = stores
	}
	return stores
}

// sameResult reports whether the result in the store has the artifacts of the action. It returns true
// if there is no result.
func (s *storeSweep) sameResult(w *bulk.Worker, row *index.Row) bool {
	id := plan.ResultID(row.ActionID(), nil)
	data, stamp, err := w.Bytes(&s.tree, store.ResultFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return false
	}
	result, err := store.ParseResult(id, data)
	if err != nil {
		return false
	}
	s.opened.UsedResult(id, stamp.MTime)
	made := make([]store.Artifact, row.Made())
	for k := range made {
		made[k].Size, made[k].Blob = row.ArtifactContent(k)
		made[k].Role = row.ArtifactRole(k)
	}
	return slices.Equal(made, result.Artifacts)
}

// intactBlobs returns the number of intact blobs, without the blobs in a list.
func (s *storeSweep) intactBlobs(others []blobCheck) int {
	if s == nil {
		return 0
	}
	for i := range others {
		delete(s.seen, blobPrefix(others[i].Blob))
	}
	return len(s.seen)
}
