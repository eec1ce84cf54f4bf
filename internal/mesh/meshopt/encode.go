package meshopt

import (
	"context"
	"fmt"
)

// EncodeAttributes returns elements of stride bytes, a multiple of 4 up to 256, in
// version 0 of the format, the one that EXT_meshopt_compression has.
func EncodeAttributes(ctx context.Context, data []byte, stride int) ([]byte, error) {
	if stride < 4 || stride > 256 || stride%4 != 0 || len(data) == 0 || len(data)%stride != 0 {
		return nil, fmt.Errorf("%d bytes as elements of %d", len(data), stride)
	}
	out := []byte{attributesV0}
	first := data[:stride]
	last := append([]byte(nil), first...)
	var deltas [maxBlock]byte
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(len(data)/stride, blockSize(stride))
		for k := range stride {
			clear(deltas[:])
			before := last[k]
			for i := range n {
				v := data[i*stride+k]
				d := v - before
				deltas[i] = d<<1 ^ -(d >> 7)
				before = v
			}
			last[k] = before
			out = appendGroups(out, deltas[:(n+group-1)&^(group-1)])
		}
		data = data[n*stride:]
	}
	out = append(out, make([]byte, max(32-stride, 0))...)
	return append(out, first...), nil
}

// appendGroups writes the differences of one byte of a block's elements.
func appendGroups(out, deltas []byte) []byte {
	groups := len(deltas) / group
	header := len(out)
	out = append(out, make([]byte, (groups+3)/4)...)
	for g := range groups {
		d := deltas[g*group:][:group]
		code := cheapest(d)
		out[header+g/4] |= code << (2 * (g % 4))
		out = appendGroup(out, d, widths[2][code])
	}
	return out
}

// cheapest returns the code of the width with the fewest bytes for a group.
func cheapest(d []byte) byte {
	var beyond [3]int // differences that are stored as bytes of their own
	for _, v := range d {
		if v >= 1 {
			beyond[0]++
		}
		if v >= 3 {
			beyond[1]++
		}
		if v >= 15 {
			beyond[2]++
		}
	}
	switch {
	case beyond[0] == 0:
		return 0
	case 4+beyond[1] <= min(8+beyond[2], 16):
		return 1
	case 8+beyond[2] <= 16:
		return 2
	}
	return 3
}

func appendGroup(out, d []byte, width uint) []byte {
	switch width {
	case 0:
		return out
	case 8:
		return append(out, d...)
	}
	sentinel := byte(1)<<width - 1
	per := int(8 / width)
	for i := 0; i < group; i += per {
		packed := byte(0)
		for _, v := range d[i:][:per] {
			packed = packed<<width | min(v, sentinel)
		}
		out = append(out, packed)
	}
	for _, v := range d {
		if v >= sentinel {
			out = append(out, v)
		}
	}
	return out
}
