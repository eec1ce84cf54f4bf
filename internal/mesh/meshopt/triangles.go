package meshopt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

const trianglesV1 = 0xe1

// tableSize is the size in bytes of the table at the end of a triangle list. Its last two bytes are
// zero.
const (
	tableSize = 16
	tableUsed = 14
)

// These are codes of triangles. The high half selects an earlier edge, or is freeCode. After an
// edge, the low half selects the third corner. After freeCode, the low half is an index in the
// table, or means that a separate byte is used instead of a table entry.
const (
	freeCode  = 15
	ownNext   = 14 // the first corner is a new vertex
	ownFirst  = 15 // the index of the first corner is written separately
	cornerNew = 0
	below     = 13 // the index is one less than the index that was written last
	above     = 14
	written   = 15
)

// A history holds the last 16 edges and vertices. Encoder and decoder keep the same history.
type history struct {
	edges            [16][2]uint32
	vertices         [16]uint32
	edgeAt, vertexAt int // number of pushed edges and vertices
}

func (h *history) pushEdge(a, b uint32) {
	h.edges[h.edgeAt&15] = [2]uint32{a, b}
	h.edgeAt++
}

func (h *history) pushVertex(v uint32) {
	h.vertices[h.vertexAt&15] = v
	h.vertexAt++
}

// edgeAgo returns the edge that was pushed n edges ago.
func (h *history) edgeAgo(n int) (e [2]uint32, ok bool) {
	return h.edges[(h.edgeAt-1-n)&15], n < min(h.edgeAt, 16)
}

func (h *history) vertexAgo(n int) (v uint32, ok bool) {
	return h.vertices[(h.vertexAt-1-n)&15], n < min(h.vertexAt, 16)
}

var errHistory = errors.New("a triangle refers to an edge or a vertex that does not exist yet; compress the model again")

// A triangleReader is the state of decoding triangles.
type triangleReader struct {
	history
	in         reader
	next, last uint32
	table      []byte
	bad        bool // set if a triangle refers to a missing edge or vertex
}

// DecodeTriangles decodes a triangle list of count indices.
func DecodeTriangles(ctx context.Context, data []byte, count int) ([]uint32, error) {
	if len(data) == 0 || data[0] != trianglesV1 {
		return nil, errors.New("the data is not a triangle list of version 1; compress the model again")
	}
	if len(data) < 1+count/3+tableSize {
		return nil, errShort
	}
	codes := data[1:][:count/3]
	r := triangleReader{in: reader{data: data[1+len(codes) : len(data)-tableSize]}, table: data[len(data)-tableSize:]}
	for i, b := range r.table {
		if b>>4 == written || b&15 == written || i >= tableUsed && b != 0 {
			return nil, errors.New("the table of triangles has invalid entries; compress the model again")
		}
	}
	out := make([]uint32, 0, count)
	for i, code := range codes {
		if i%pace == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if code>>4 < freeCode {
			out = append(out, r.readOnEdge(code)...)
		} else {
			out = append(out, r.readFree(code&15)...)
		}
		if r.bad {
			return nil, errHistory
		}
	}
	return out, r.in.checkAllRead()
}

func (r *triangleReader) readIndex() uint32 {
	r.last += zigzag(r.in.readVarint())
	return r.last
}

func (r *triangleReader) nextVertex() uint32 {
	r.next++
	return r.next - 1
}

func (r *triangleReader) recentVertex(n int) uint32 {
	v, ok := r.vertexAgo(n)
	r.bad = r.bad || !ok
	return v
}

// readOnEdge reads a triangle that shares an edge with an earlier triangle.
func (r *triangleReader) readOnEdge(code byte) []uint32 {
	e, ok := r.edgeAgo(int(code >> 4))
	r.bad = r.bad || !ok
	a, b, c, push := e[0], e[1], uint32(0), true
	switch y := code & 15; y {
	case cornerNew:
		c = r.nextVertex()
	case below:
		r.last--
		c = r.last
	case above:
		r.last++
		c = r.last
	case written:
		c = r.readIndex()
	default:
		c, push = r.recentVertex(int(y)), false
	}
	r.pushEdge(c, b)
	r.pushEdge(a, c)
	if push {
		r.pushVertex(c)
	}
	return []uint32{a, b, c}
}

// readFree reads a triangle without a shared edge, which is given by its three vertices.
func (r *triangleReader) readFree(code byte) []uint32 {
	zw := r.table[code]
	if code >= tableUsed {
		if zw = r.in.nextByte(); zw == 0 {
			r.next = 0
		}
	}
	var a uint32
	if code == ownFirst {
		a = r.readIndex()
	} else {
		a = r.nextVertex()
	}
	z, w := zw>>4, zw&15
	b, c := r.readCorner(z), r.readCorner(w)
	r.pushTriangle(a, b, c, z, w)
	return []uint32{a, b, c}
}

func (r *triangleReader) readCorner(n byte) uint32 {
	switch n {
	case cornerNew:
		return r.nextVertex()
	case written:
		return r.readIndex()
	}
	return r.recentVertex(int(n) - 1)
}

// pushTriangle adds a triangle without a shared edge to the history.
func (h *history) pushTriangle(a, b, c uint32, z, w byte) {
	h.pushEdge(b, a)
	h.pushEdge(c, b)
	h.pushEdge(a, c)
	h.pushVertex(a)
	if z == cornerNew || z == written {
		h.pushVertex(b)
	}
	if w == cornerNew || w == written {
		h.pushVertex(c)
	}
}

const indicesV1 = 0xd1

// indicesTail is the number of zero bytes at the end of a list of indices.
const indicesTail = 4

// DecodeIndices decodes a list of count indices, which may be of any primitive.
func DecodeIndices(ctx context.Context, data []byte, count int) ([]uint32, error) {
	if len(data) == 0 || data[0] != indicesV1 {
		return nil, errors.New("the data is not an index sequence of version 1; compress the model again")
	}
	if len(data) < 1+count+indicesTail {
		return nil, errShort
	}
	in := reader{data: data[1 : len(data)-indicesTail]}
	out := make([]uint32, count)
	var last [2]uint32
	for i := range out {
		if i%pace == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := in.readVarint()
		last[v&1] += zigzag(v >> 1)
		out[i] = last[v&1]
	}
	return out, in.checkAllRead()
}

// EncodeIndices encodes a list of indices below 2^30. It keeps two earlier indices. Each index is
// written as the difference from the nearer of the two, and then replaces it.
func EncodeIndices(ctx context.Context, indices []uint32) ([]byte, error) {
	out := []byte{indicesV1}
	var last [2]uint32
	for i, v := range indices {
		if i%pace == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if v >= 1<<30 {
			return nil, fmt.Errorf("index %d is %d, which is too large to be compressed", i, v)
		}
		of := uint32(0)
		if zag(v-last[1]) < zag(v-last[0]) {
			of = 1
		}
		out = binary.AppendUvarint(out, uint64(zag(v-last[of])<<1|of))
		last[of] = v
	}
	return append(out, make([]byte, indicesTail)...), nil
}

// zigzag decodes a zigzag-encoded difference: 0, -1, 1, -2 ...
func zigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }

// zag encodes a difference so that zigzag decodes it.
func zag(d uint32) uint32 { return d<<1 ^ uint32(int32(d)>>31) }

// A reader reads integers of seven bits per byte, low bits first (LEB128).
type reader struct {
	data []byte
	at   int
	bad  bool // set if an integer is truncated or too long
}

func (r *reader) nextByte() byte {
	if r.at >= len(r.data) {
		r.bad = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) readVarint() uint32 {
	v := uint32(0)
	for shift := uint(0); shift < 35; shift += 7 {
		b := r.nextByte()
		v |= uint32(b&127) << shift
		if b < 128 {
			return v
		}
	}
	r.bad = true // the integer has more than five bytes
	return v
}

// checkAllRead returns an error unless all data has been read.
func (r *reader) checkAllRead() error {
	switch {
	case r.bad:
		return errShort
	case r.at < len(r.data):
		return errLong
	}
	return nil
}
