package meshopt

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// A triangleWriter is the state of encoding triangles.
type triangleWriter struct {
	history
	next, last uint32
	codes      []byte
	data       []byte        // additional bytes of the codes
	free       []pendingCode // triangles without a shared edge, whose codes are not known yet
}

// A pendingCode is a triangle whose code depends on the table, which is not known yet.
type pendingCode struct {
	code int  // index of the triangle's code
	at   int  // insertion offset in data for an entry that is not in the table
	zw   byte // codes of the second and the third corner
}

// EncodeTriangles encodes the indices of a triangle list. If the list holds several meshes, each
// numbers its vertices from 0. Then starts lists the start of each further mesh in indices, a
// multiple of 3. Triangles keep their order, but the corners of each may be rotated.
func EncodeTriangles(ctx context.Context, indices []uint32, starts []int) ([]byte, error) {
	if len(indices)%3 != 0 {
		return nil, fmt.Errorf("the number of indices, %d, is not a multiple of 3", len(indices))
	}
	w := triangleWriter{codes: make([]byte, 0, len(indices)/3)}
	for i := 0; i < len(indices); i += 3 {
		if i%(3*pace) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for len(starts) > 0 && starts[0] < i {
			starts = starts[1:]
		}
		begins := len(starts) > 0 && starts[0] == i
		w.writeTriangle([3]uint32(indices[i:]), begins)
	}
	table := w.fillTable()
	out := append([]byte{trianglesV1}, w.codes...)
	return append(append(out, w.data...), table[:]...), nil
}

// A fit describes how a triangle shares an earlier edge.
type fit struct {
	edge   int
	turn   int // index of the corner that is written first
	corner byte
}

// writeTriangle writes a triangle with the fewest bytes.
func (w *triangleWriter) writeTriangle(t [3]uint32, begins bool) {
	if begins && w.next > 0 {
		for turn := range 3 {
			if a := rotateTriangle(t, turn); a == [3]uint32{0, 1, 2} {
				// The vertices of the next mesh are numbered from zero.
				w.codes = append(w.codes, freeCode<<4|ownNext)
				w.data = append(w.data, 0)
				w.next = 3
				w.pushTriangle(0, 1, 2, cornerNew, cornerNew)
				return
			}
		}
	}
	if f, ok := w.findBestEdge(t); ok {
		w.putOnEdge(rotateTriangle(t, f.turn), f)
		return
	}
	for turn := range 3 {
		if t[turn] == w.next {
			t = rotateTriangle(t, turn)
			break
		}
	}
	w.putFree(t)
}

func rotateTriangle(t [3]uint32, turn int) [3]uint32 {
	return [3]uint32{t[turn], t[(turn+1)%3], t[(turn+2)%3]}
}

// findBestEdge returns the best edge for a triangle: the latest edge whose third corner takes no
// additional bytes, otherwise the latest edge.
func (w *triangleWriter) findBestEdge(t [3]uint32) (best fit, ok bool) {
	for n := range freeCode {
		e, there := w.edgeAgo(n)
		if !there {
			break
		}
		for turn := range 3 {
			if a := rotateTriangle(t, turn); a[0] != e[0] || a[1] != e[1] {
				continue
			} else if f := (fit{n, turn, w.thirdCornerCode(a[2])}); !ok || best.corner == written && f.corner != written {
				best, ok = f, true
			}
		}
		if ok && best.corner != written {
			break
		}
	}
	return best, ok
}

// thirdCornerCode returns the code of the third corner of a triangle that shares an edge.
func (w *triangleWriter) thirdCornerCode(c uint32) byte {
	if c == w.next {
		return cornerNew
	}
	for n := 1; n < below; n++ { // the latest vertex is always on a recent edge, so start with the vertex before
		if v, ok := w.vertexAgo(n); ok && v == c {
			return byte(n)
		}
	}
	switch c {
	case w.last - 1:
		return below
	case w.last + 1:
		return above
	}
	return written
}

func (w *triangleWriter) putOnEdge(t [3]uint32, f fit) {
	a, b, c := t[0], t[1], t[2]
	w.codes = append(w.codes, byte(f.edge)<<4|f.corner)
	switch f.corner {
	case cornerNew:
		w.next++
	case below, above:
		w.last = c
	case written:
		w.writeIndex(c)
	}
	w.pushEdge(c, b)
	w.pushEdge(a, c)
	if f.corner == cornerNew || f.corner >= below {
		w.pushVertex(c)
	}
}

// putFree writes a triangle without a shared edge. If any vertex is new, the first must be new.
func (w *triangleWriter) putFree(t [3]uint32) {
	fresh := t[0] == w.next
	if fresh {
		w.next++
	}
	z := w.cornerCode(t[1])
	if z == cornerNew {
		w.next++
	}
	other := w.cornerCode(t[2])
	if other == cornerNew {
		w.next++
	}
	zw := z<<4 | other
	if fresh && z != written && other != written {
		w.free = append(w.free, pendingCode{len(w.codes), len(w.data), zw})
		w.codes = append(w.codes, freeCode<<4)
	} else {
		first := byte(ownFirst)
		if fresh {
			first = ownNext
		}
		w.codes = append(w.codes, freeCode<<4|first)
		w.data = append(w.data, zw)
		if !fresh {
			w.writeIndex(t[0])
		}
		if z == written {
			w.writeIndex(t[1])
		}
		if other == written {
			w.writeIndex(t[2])
		}
	}
	w.pushTriangle(t[0], t[1], t[2], z, other)
}

func (w *triangleWriter) cornerCode(v uint32) byte {
	if v == w.next {
		return cornerNew
	}
	for n := range written - 1 {
		if known, ok := w.vertexAgo(n); ok && known == v {
			return byte(n + 1)
		}
	}
	return written
}

func (w *triangleWriter) writeIndex(v uint32) {
	w.data = binary.AppendUvarint(w.data, uint64(zag(v-w.last)))
	w.last = v
}

// fillTable fills the table with the most frequent entries and completes the pending codes. The
// entry for three new vertices is always in the table, because outside of the table its byte has
// another meaning.
func (w *triangleWriter) fillTable() (table [tableSize]byte) {
	var often [256]int
	for _, f := range w.free {
		often[f.zw]++
	}
	order := make([]int, 0, 256)
	for zw := 1; zw < 256; zw++ {
		if often[zw] > 0 {
			order = append(order, zw)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return often[b] - often[a] })
	var place [256]byte
	for i, zw := range order[:min(len(order), tableUsed-1)] {
		table[i+1] = byte(zw)
		place[zw] = byte(i + 1)
	}
	var data []byte
	from := 0
	for _, f := range w.free {
		if f.zw == 0 || place[f.zw] > 0 {
			w.codes[f.code] |= place[f.zw]
			continue
		}
		w.codes[f.code] |= ownNext
		data = append(append(data, w.data[from:f.at]...), f.zw)
		from = f.at
	}
	w.data = append(data, w.data[from:]...)
	return table
}
