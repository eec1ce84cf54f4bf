// Package optimize reorders the triangles and vertices of a mesh so that a GPU draws it with less
// work, and measures the gain. Vertices and triangles keep their values: only their order changes,
// and equal vertices are merged.
//
// A mesh usually passes four steps, in this order:
//
//	Weld         merges equal vertices, to store fewer and share them in the cache
//	VertexCache  puts triangles that share vertices next to each other
//	Overdraw     moves clusters of triangles that face outward to the front
//	FetchOrder   stores vertices in the order of their first use
//
// A mesh is a list of indices, three per triangle, into arrays of vertices. All results depend only
// on the arguments and are the same on every machine. The arguments are never written to. Functions
// return an error for an index out of range, for an incomplete triangle, and for a canceled
// context, which every function checks some hundred times per second.
package optimize

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Unused is the entry of [FetchOrder]'s remap for a vertex that no triangle uses.
const Unused = ^uint32(0)

// NextCorner returns the corner after c in its triangle.
func NextCorner(c uint32) uint32 {
	if c%3 == 2 {
		return c - 2
	}
	return c + 1
}

// PreviousCorner returns the corner before c in its triangle.
func PreviousCorner(c uint32) uint32 {
	if c%3 == 0 {
		return c + 2
	}
	return c - 1
}

// CheckTriangles returns an error unless indices are complete triangles, with each index from 0 to
// vertices-1.
func CheckTriangles(indices []uint32, vertices int) error {
	if len(indices)%3 != 0 {
		return fmt.Errorf("%d indices do not make whole triangles: export the mesh as a list of triangles", len(indices))
	}
	if vertices < 0 || int64(vertices) > math.MaxUint32 {
		return fmt.Errorf("%d vertices: 0 to 2^32-1 are possible", vertices)
	}
	if int64(len(indices)) > math.MaxUint32 {
		return fmt.Errorf("%d indices: up to 2^32-1 are possible", len(indices))
	}
	for i, v := range indices {
		if int64(v) >= int64(vertices) {
			return fmt.Errorf("triangle %d uses vertex %d of %d: the mesh is damaged", i/3, v, vertices)
		}
	}
	return nil
}

// CheckPositions returns an error unless positions has three finite numbers per vertex.
func CheckPositions(positions []float32) error {
	if len(positions)%3 != 0 {
		return fmt.Errorf("the number of coordinates, %d, is not a multiple of 3", len(positions))
	}
	for i, x := range positions {
		if x-x != 0 {
			return fmt.Errorf("vertex %d is at %v: a position must be a finite number", i/3, x)
		}
	}
	return nil
}

// A Stream is one array of vertex data: vertex i has the bytes Data[i*Stride:][:Stride].
type Stream struct {
	Data   []byte
	Stride int // bytes per vertex, at least 1
}

// FloatStream returns the stream of float32 values with the given number of values per vertex.
// Negative zero becomes +0, so that Weld merges vertices that compare equal. The stream takes 4
// bytes per value.
func FloatStream(values []float32, width int) Stream {
	data := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v+0))
	}
	return Stream{Data: data, Stride: 4 * width}
}

// Weld finds the vertices from 0 to n-1 that are equal in all streams, byte for byte. Vertex v
// becomes remap[v]; unique vertices are numbered in the order of their first appearance. Without
// streams, all vertices are equal. Weld takes 14 to 20 bytes per vertex, including 4 for the
// result.
func Weld(ctx context.Context, n int, streams ...Stream) (remap []uint32, unique int, err error) {
	if n < 0 || int64(n) > math.MaxUint32 {
		return nil, 0, fmt.Errorf("%d vertices: 0 to 2^32-1 are possible", n)
	}
	for i, s := range streams {
		if s.Stride < 1 || len(s.Data)/s.Stride < n {
			return nil, 0, fmt.Errorf("stream %d has %d bytes, too few for %d vertices of %d bytes", i, len(s.Data), n, s.Stride)
		}
	}
	remap = make([]uint32, n)
	first := make([]uint32, 0, n) // first of the equal vertices, for each unique vertex
	// The hash table is at most two thirds full. A slot holds 0 if it is free, otherwise the index
	// of a unique vertex plus 1.
	table := make([]uint32, 1<<bits.Len(uint(n)+uint(n)/2))
	mask := uint64(len(table) - 1)
	// The result does not depend on the secret. Without a secret, a hostile file could make all
	// vertices collide in one slot.
	secret := [2]uint64{rand.Uint64(), rand.Uint64() | 1}
	look := pace{ctx: ctx}
	for v := range remap {
		if err := look.spendWork(1 + len(streams)); err != nil {
			return nil, 0, err
		}
		for place := hashVertex(v, streams, secret) & mask; ; place = (place + 1) & mask {
			u := table[place]
			if u == 0 {
				first = append(first, uint32(v))
				table[place] = uint32(len(first))
				remap[v] = uint32(len(first) - 1)
				break
			}
			if equalVertices(v, int(first[u-1]), streams) {
				remap[v] = u - 1
				break
			}
		}
	}
	return remap, len(first), nil
}

// hashVertex hashes the bytes of a vertex, eight at a time, by multiplication and folding of the
// 128-bit product.
func hashVertex(v int, streams []Stream, secret [2]uint64) uint64 {
	h := secret[0]
	mix := func(x uint64) {
		hi, lo := bits.Mul64(h^x, secret[1])
		h = (hi ^ lo) + secret[0]
	}
	for _, s := range streams {
		b := s.Data[v*s.Stride:][:s.Stride]
		for ; len(b) >= 8; b = b[8:] {
			mix(binary.LittleEndian.Uint64(b))
		}
		if len(b) >= 4 {
			mix(uint64(binary.LittleEndian.Uint32(b)))
			b = b[4:]
		}
		for _, c := range b {
			mix(uint64(c))
		}
	}
	return h ^ h>>32
}

func equalVertices(a, b int, streams []Stream) bool {
	for _, s := range streams {
		if !bytes.Equal(s.Data[a*s.Stride:][:s.Stride], s.Data[b*s.Stride:][:s.Stride]) {
			return false
		}
	}
	return true
}

// FetchOrder numbers the vertices in the order of their first use. Vertex v becomes remap[v];
// unused vertices become [Unused]. used is the number of used vertices.
func FetchOrder(ctx context.Context, indices []uint32, vertices int) (remap []uint32, used int, err error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return nil, 0, err
	}
	remap = make([]uint32, vertices)
	for v := range remap {
		remap[v] = Unused
	}
	look := pace{ctx: ctx}
	for _, v := range indices {
		if err := look.spendWork(1); err != nil {
			return nil, 0, err
		}
		if remap[v] == Unused {
			remap[v] = uint32(used)
			used++
		}
	}
	return remap, used, nil
}
