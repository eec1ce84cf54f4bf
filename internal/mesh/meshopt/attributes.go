package meshopt

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The version of the format is in the first byte of attributes.
const (
	attributesV0 = 0xa0
	attributesV1 = 0xa1
)

const (
	group    = 16 // number of elements in a group, whose byte differences have the same bit width
	maxBlock = 256
)

// blockSize returns the maximum number of elements in a block.
func blockSize(stride int) int { return min(8192/stride&^(group-1), maxBlock) }

// widths holds the bit widths of differences, by the control mode of a byte and the two bits in a
// group's header. The last row is for version 0. Differences of 8 bits are plain bytes.
var widths = [3][4]uint{{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}}

// A block decodes the blocks of one stream.
type block struct {
	data   []byte // remaining data, without the tail
	deltas []byte // differences; maxBlock values for each byte of an element
	last   []byte // last element of the previous block
	modes  []byte // channel modes, one for every four bytes of an element
	v1     bool
}

// DecodeAttributes returns count elements of stride bytes; stride must be a multiple of 4.
func DecodeAttributes(ctx context.Context, data []byte, count, stride int) ([]byte, error) {
	if len(data) == 0 || data[0] != attributesV0 && data[0] != attributesV1 {
		return nil, fmt.Errorf("the data is not an attribute stream of version 0 or 1; compress the model again")
	}
	b := block{v1: data[0] == attributesV1, deltas: make([]byte, stride*maxBlock), modes: make([]byte, stride/4)}
	tail, least, blocks := max(stride, 32), stride, (count+blockSize(stride)-1)/blockSize(stride)
	if b.v1 {
		tail, least = max(stride+stride/4, 24), stride/4
	}
	if len(data) < 1+tail || int64(len(data)-1-tail) < int64(blocks)*int64(least) {
		return nil, errShort
	}
	b.data = data[1 : len(data)-tail]
	end := len(data)
	if b.v1 {
		end -= stride / 4
		copy(b.modes, data[end:])
	}
	for _, m := range b.modes {
		if m&15 > 2 || m&15 < 2 && m>>4 != 0 {
			return nil, fmt.Errorf("the channel mode %#x is unknown", m)
		}
	}
	b.last = append([]byte(nil), data[end-stride:end]...)
	out := make([]byte, count*stride)
	for at := 0; at < count; at += blockSize(stride) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(count-at, blockSize(stride))
		if err := b.readDifferences(n, stride); err != nil {
			return nil, err
		}
		b.addDifferences(out[at*stride:][:n*stride], stride)
	}
	if len(b.data) > 0 {
		return nil, errLong
	}
	return out, nil
}

// takeBytes returns the next n bytes.
func (b *block) takeBytes(n int) ([]byte, error) {
	if n > len(b.data) {
		return nil, errShort
	}
	head := b.data[:n]
	b.data = b.data[n:]
	return head, nil
}

// readDifferences reads the differences of n elements.
func (b *block) readDifferences(n, stride int) error {
	var control []byte
	if b.v1 {
		var err error
		if control, err = b.takeBytes(stride / 4); err != nil {
			return err
		}
	}
	for k := range stride {
		deltas, by := b.deltas[k*maxBlock:][:maxBlock], 2
		if b.v1 {
			by = int(control[k/4] >> (2 * (k % 4)) & 3)
			if by == 2 {
				clear(deltas)
				continue
			}
			if by == 3 {
				bytes, err := b.takeBytes(n)
				if err != nil {
					return err
				}
				copy(deltas, bytes)
				continue
			}
		}
		groups := (n + group - 1) / group
		header, err := b.takeBytes((groups + 3) / 4)
		if err != nil {
			return err
		}
		for g := range groups {
			width := widths[by][header[g/4]>>(2*(g%4))&3]
			if err := b.readGroup(deltas[g*group:][:group], width); err != nil {
				return err
			}
		}
	}
	return nil
}

// readGroup reads the differences of a group, each of width bits. If all bits of a difference are
// set, its value is a separate byte after the group.
func (b *block) readGroup(to []byte, width uint) error {
	fixed, err := b.takeBytes(int(2 * width))
	if err != nil {
		return err
	}
	switch width {
	case 0:
		clear(to)
		return nil
	case 8:
		copy(to, fixed)
		return nil
	}
	sentinel := byte(1)<<width - 1
	for i := range uint(len(to)) {
		shift := i * width % 8
		if width > 1 { // the first difference is in the highest bits
			shift = 8 - width - shift
		}
		v := fixed[i*width/8] >> shift & sentinel
		if v == sentinel {
			whole, err := b.takeBytes(1)
			if err != nil {
				return err
			}
			v = whole[0]
		}
		to[i] = v
	}
	return nil
}

// addDifferences computes the elements as running sums of the differences.
func (b *block) addDifferences(out []byte, stride int) {
	for at := 0; at < len(out); at += stride {
		e, i := out[at:][:stride], at/stride
		for c, mode := range b.modes {
			d := b.deltas[4*c*maxBlock+i:]
			raw := [4]byte{d[0], d[maxBlock], d[2*maxBlock], d[3*maxBlock]}
			last, to := b.last[4*c:][:4], e[4*c:][:4]
			switch mode & 15 {
			case 0:
				for k, v := range raw {
					to[k] = last[k] + (v>>1 ^ -(v & 1))
				}
			case 1:
				for k := 0; k < 4; k += 2 {
					v := binary.LittleEndian.Uint16(raw[k:])
					binary.LittleEndian.PutUint16(to[k:], binary.LittleEndian.Uint16(last[k:])+(v>>1^-(v&1)))
				}
			case 2:
				v := bits.RotateLeft32(binary.LittleEndian.Uint32(raw[:]), -int(mode>>4))
				binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(last)^v)
			}
		}
		copy(b.last, e)
	}
}
