package meshopt

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Control modes of version 1, for one byte position in a block. Lower modes are rows of widths.
const (
	controlZeros   = 2 // all differences are 0
	controlPlain   = 3 // the differences are plain bytes
	widthsVersion0 = 2 // row of widths for version 0, which has no control modes
)

// EncodeAttributes encodes elements of stride bytes, a multiple of 4 up to 256, in version 0 or 1
// of the format. EXT_meshopt_compression requires version 0.
func EncodeAttributes(ctx context.Context, data []byte, stride, version int) ([]byte, error) {
	if stride < 4 || stride > 256 || stride%4 != 0 || len(data) == 0 || len(data)%stride != 0 {
		return nil, fmt.Errorf("the size, %d bytes, is not a multiple of the element size, %d bytes", len(data), stride)
	}
	modes := make([]byte, stride/4)
	out := []byte{attributesV0}
	if version == 1 {
		out[0] = attributesV1
		for c := range modes {
			modes[c] = chooseChannelMode(data, stride, c)
		}
	}
	var deltas [4][maxBlock]byte
	for from := 0; from < len(data); from += blockSize(stride) * stride {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		control := len(out)
		if version == 1 {
			out = append(out, make([]byte, stride/4)...)
		}
		for c, mode := range modes {
			n := channelDeltas(&deltas, data, stride, from, c, mode)
			for k := range deltas {
				by := byte(widthsVersion0)
				if version == 1 {
					by, _ = cheapestControl(deltas[k][:], n)
					out[control+c] |= by << (2 * k)
					switch by {
					case controlZeros:
						continue
					case controlPlain:
						out = append(out, deltas[k][:n]...)
						continue
					}
				}
				out = appendGroups(out, deltas[k][:roundUpToGroup(n)], widths[by])
			}
		}
	}
	if version == 1 {
		out = append(out, make([]byte, max(24-stride-stride/4, 0))...)
		return append(append(out, data[:stride]...), modes...), nil
	}
	out = append(out, make([]byte, max(32-stride, 0))...)
	return append(out, data[:stride]...), nil
}

func roundUpToGroup(n int) int { return (n + group - 1) &^ (group - 1) }

// channelDeltas computes the differences of channel c, which are four bytes of each element, in the
// block that starts at the offset from. It returns the number of elements in the block. The
// differences after these elements are zeros.
func channelDeltas(deltas *[4][maxBlock]byte, data []byte, stride, from, c int, mode byte) int {
	n := min((len(data)-from)/stride, blockSize(stride))
	before := data[max(from-stride, 0)+4*c:]
	for i := range n {
		e := data[from+i*stride+4*c:]
		switch mode & 15 {
		case 0:
			for k := range deltas {
				d := e[k] - before[k]
				deltas[k][i] = d<<1 ^ -(d >> 7)
			}
		case 1:
			for k := 0; k < 4; k += 2 {
				d := binary.LittleEndian.Uint16(e[k:]) - binary.LittleEndian.Uint16(before[k:])
				d = d<<1 ^ -(d >> 15)
				deltas[k][i], deltas[k+1][i] = byte(d), byte(d>>8)
			}
		case 2:
			d := bits.RotateLeft32(binary.LittleEndian.Uint32(e)^binary.LittleEndian.Uint32(before), int(mode>>4))
			for k := range deltas {
				deltas[k][i] = byte(d >> (8 * k))
			}
		}
		before = e
	}
	for k := range deltas {
		clear(deltas[k][n:])
	}
	return n
}

// channelModes are the modes that chooseChannelMode tries: differences of bytes, of 16 bits, and
// XOR of 32 bits with each rotation. Rotations by further 8 bits only exchange the four bytes.
var channelModes = [...]byte{0, 1, 2, 2 | 1<<4, 2 | 2<<4, 2 | 3<<4, 2 | 4<<4, 2 | 5<<4, 2 | 6<<4, 2 | 7<<4}

// triedBlocks is the largest number of blocks that chooseChannelMode encodes for each mode.
const triedBlocks = 8

// chooseChannelMode returns the mode of channel c that takes the fewest bytes in some blocks, which
// are spread evenly over the data.
func chooseChannelMode(data []byte, stride, c int) byte {
	size := blockSize(stride) * stride
	blocks := (len(data) + size - 1) / size
	step := (blocks + triedBlocks - 1) / triedBlocks
	best, least := byte(0), -1
	var deltas [4][maxBlock]byte
	for _, mode := range channelModes {
		sum := 0
		for at := 0; at < blocks; at += step {
			n := channelDeltas(&deltas, data, stride, at*size, c, mode)
			for k := range deltas {
				_, bytes := cheapestControl(deltas[k][:], n)
				sum += bytes
			}
		}
		if least < 0 || sum < least {
			best, least = mode, sum
		}
	}
	return best
}

// cheapestControl returns the control mode that takes the fewest bytes for n differences of one
// byte position, and the number of these bytes.
func cheapestControl(deltas []byte, n int) (control byte, size int) {
	groups := roundUpToGroup(n) / group
	header := (groups + 3) / 4
	sizes := [2]int{header, header}
	zeros := true
	for g := range groups {
		larger := countLarger(deltas[g*group:][:group])
		zeros = zeros && larger[0] == 0
		for by := range sizes {
			_, bytes := cheapestWidth(larger, widths[by])
			sizes[by] += bytes
		}
	}
	switch {
	case zeros:
		return controlZeros, 0
	case n <= min(sizes[0], sizes[1]):
		return controlPlain, n
	case sizes[1] < sizes[0]:
		return 1, sizes[1]
	}
	return 0, sizes[0]
}

// appendGroups appends the differences of one byte position for all elements of a block.
func appendGroups(out, deltas []byte, widths [4]uint) []byte {
	groups := len(deltas) / group
	header := len(out)
	out = append(out, make([]byte, (groups+3)/4)...)
	for g := range groups {
		d := deltas[g*group:][:group]
		code, _ := cheapestWidth(countLarger(d), widths)
		out[header+g/4] |= code << (2 * (g % 4))
		out = appendGroup(out, d, widths[code])
	}
	return out
}

// countLarger returns the numbers of differences in a group that one bit, two bits and four bits
// cannot hold.
func countLarger(d []byte) (larger [3]int) {
	for _, v := range d {
		if v >= 1 {
			larger[0]++
		}
		if v >= 3 {
			larger[1]++
		}
		if v >= 15 {
			larger[2]++
		}
	}
	return larger
}

// cheapestWidth returns the code of the bit width that takes the fewest bytes for a group, and the
// number of these bytes. larger is the result of countLarger.
func cheapestWidth(larger [3]int, widths [4]uint) (code byte, size int) {
	size = -1
	for i, width := range widths {
		bytes := int(2 * width)
		switch width {
		case 0:
			if larger[0] > 0 {
				continue
			}
		case 1, 2, 4:
			bytes += larger[width/2]
		}
		if size < 0 || bytes < size {
			code, size = byte(i), bytes
		}
	}
	return code, size
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
		for k, v := range d[i:][:per] {
			shift := uint(k) // single bits start with the lowest
			if width > 1 {
				shift = 8 - width*uint(k+1)
			}
			packed |= min(v, sentinel) << shift
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
