package mesh

import (
	"bytes"
	"hash/maphash"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// sharing finds arrays that are in a view already: exporters write the mesh of each copy of
// an object anew.
type sharing struct {
	seed  maphash.Seed
	known map[uint64][]shared // by the hash of their bytes
}

// shared is an array in a view.
type shared struct {
	view   *view
	offset int
	count  int
}

// hash returns a number that equal arrays have in common.
func (s *sharing) hash(a gltf.Array) uint64 {
	if s.known == nil {
		s.seed, s.known = maphash.MakeSeed(), map[uint64][]shared{}
	}
	return maphash.Bytes(s.seed, a.Data)
}

// note takes up an array that is about to be appended to a view.
func (s *sharing) note(v *view, offset int, a gltf.Array) {
	key := s.hash(a)
	s.known[key] = append(s.known[key], shared{v, offset, a.Count})
}

// findShared returns where a view holds an array, each element so many bytes after the one before.
func (s *sharing) findShared(v *view, stride int, a gltf.Array) (offset int, ok bool) {
	for _, c := range s.known[s.hash(a)] {
		if c.view == v && c.count == a.Count && c.holds(stride, a) {
			return c.offset, true
		}
	}
	return 0, false
}

func (c shared) holds(stride int, a gltf.Array) bool {
	data := c.view.data[c.offset:]
	if stride == a.Size {
		return bytes.Equal(data[:len(a.Data)], a.Data)
	}
	for i := range a.Count {
		if !bytes.Equal(data[i*stride:][:a.Size], a.Element(i)) {
			return false
		}
	}
	return true
}
