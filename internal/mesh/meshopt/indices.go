package meshopt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

const indicesV1 = 0xd1

// indicesTail is how many zeros end a list of indices.
const indicesTail = 4

// DecodeIndices returns a list of count indices that need not be of triangles.
func DecodeIndices(ctx context.Context, data []byte, count int) ([]uint32, error) {
	if len(data) == 0 || data[0] != indicesV1 {
		return nil, errors.New("not indices of version 1")
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
		v := in.number()
		last[v&1] += zigzag(v >> 1)
		out[i] = last[v&1]
	}
	return out, in.end()
}

// EncodeIndices packs a list of indices below 2^30. Each is written as its difference from
// the nearer of two earlier indices, which it replaces.
func EncodeIndices(ctx context.Context, indices []uint32) ([]byte, error) {
	out := []byte{indicesV1}
	var last [2]uint32
	for i, v := range indices {
		if i%pace == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if v >= 1<<30 {
			return nil, fmt.Errorf("index %d is %d, which is more than can be packed", i, v)
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

// zigzag returns the difference that a number stands for: 0, -1, 1, -2 ...
func zigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }

// zag returns the number that stands for a difference.
func zag(d uint32) uint32 { return d<<1 ^ uint32(int32(d)>>31) }

// A reader reads numbers of seven bits a byte, the low ones first (LEB128).
type reader struct {
	data []byte
	at   int
	bad  bool // there was no number any more
}

func (r *reader) byte() byte {
	if r.at >= len(r.data) {
		r.bad = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) number() uint32 {
	v := uint32(0)
	for shift := uint(0); shift < 35; shift += 7 {
		b := r.byte()
		v |= uint32(b&127) << shift
		if b < 128 {
			return v
		}
	}
	r.bad = true // more than five bytes
	return v
}

// end reports whether the data were all that was read.
func (r *reader) end() error {
	switch {
	case r.bad:
		return errShort
	case r.at < len(r.data):
		return errLong
	}
	return nil
}
