package contents

import (
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A reading is what a file or a folder held when its stamp could be trusted: under the same
// stamp it holds the same.
type reading struct {
	stamp scan.Stamp
	data  []byte
}

// readAgain returns what is read of a dependency whose stamp is that of now. In the first seconds
// of fresh files, and of folders with fresh ones, that is read each time it is asked for; then
// once more, for all who ask. Read reports whether the stamp that it took before could be
// trusted when it took it.
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
