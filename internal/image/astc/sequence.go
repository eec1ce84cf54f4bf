package astc

import "math/bits"

// A span is a quantization range of codes, from 0 to levels-1. A code has a number of bits, and
// possibly a trit or a quint above them.
type span struct {
	levels        int
	bits          uint8
	trits, quints bool
}

// spans holds all quantization ranges, sorted by number of levels. Weights use the first twelve,
// and colors use all from colorSpan. Source: Khronos Data Format Specification 1.4, chapter 23,
// "Integer Sequence Encoding".
var spans = [21]span{
	{2, 1, false, false}, {3, 0, true, false}, {4, 2, false, false}, {5, 0, false, true},
	{6, 1, true, false}, {8, 3, false, false}, {10, 1, false, true}, {12, 2, true, false},
	{16, 4, false, false}, {20, 2, false, true}, {24, 3, true, false}, {32, 5, false, false},
	{40, 3, false, true}, {48, 4, true, false}, {64, 6, false, false}, {80, 4, false, true},
	{96, 5, true, false}, {128, 7, false, false}, {160, 5, false, true}, {192, 6, true, false},
	{256, 8, false, false},
}

const (
	weightSpans = 12
	colorSpan   = 4 // index of the first span for colors
)

// sequenceBits returns how many bits a sequence of n codes takes.
func (s *span) sequenceBits(n int) int {
	size := n * int(s.bits)
	if s.trits {
		size += (8*n + 4) / 5
	}
	if s.quints {
		size += (7*n + 2) / 3
	}
	return size
}

// colorSpanFor returns the largest span whose sequence of n codes fits in room bits. The result is
// below colorSpan if no span for colors fits.
func colorSpanFor(n, room int) int {
	for i := len(spans) - 1; i >= colorSpan; i-- {
		if spans[i].sequenceBits(n) <= room {
			return i
		}
	}
	return 0
}

// A stream holds the 128 bits of a block, lowest bits first.
type stream struct {
	low, high uint64
}

// reverseBits returns the bits in reverse order, which is the order of stored weights.
func (s stream) reverseBits() stream {
	return stream{bits.Reverse64(s.high), bits.Reverse64(s.low)}
}

// bitsAt returns n bits, at most 16, starting at position. Bits beyond the end are 0.
func (s *stream) bitsAt(position, n int) int {
	v := s.low >> position
	if position >= 64 {
		v = s.high >> (position - 64)
	} else if position > 0 {
		v |= s.high << (64 - position)
	}
	return int(v & (1<<n - 1))
}

// putBits sets bits, which must be 0 before the call.
func (s *stream) putBits(position int, v uint64) {
	if position >= 64 {
		s.high |= v << (position - 64)
		return
	}
	s.low |= v << position
	if position > 0 {
		s.high |= v >> (64 - position)
	}
}

// Trits and quints are packed together, and their bits are spread among the codes. tritOrder and
// quintOrder hold the number of packed bits that follow the bits of each code.
var (
	tritOrder  = [5]int{2, 2, 1, 2, 1}
	quintOrder = [3]int{3, 2, 2}
)

// unpackSequence reads len(dst) codes. Bits beyond the end of a sequence are 0.
func (s *span) unpackSequence(dst []uint8, from *stream, position int) {
	n := int(s.bits)
	end := position + s.sequenceBits(len(dst))
	take := func(k int) int {
		v := from.bitsAt(position, max(0, min(k, end-position)))
		position += k
		return v
	}
	switch {
	case s.trits:
		for ; len(dst) > 0; dst = dst[min(5, len(dst)):] {
			var low [5]int
			packed, shift := 0, 0
			for i, k := range tritOrder {
				low[i] = take(n)
				packed |= take(k) << shift
				shift += k
			}
			for i := range min(5, len(dst)) {
				dst[i] = trits[packed][i]<<n | uint8(low[i])
			}
		}
	case s.quints:
		for ; len(dst) > 0; dst = dst[min(3, len(dst)):] {
			var low [3]int
			packed, shift := 0, 0
			for i, k := range quintOrder {
				low[i] = take(n)
				packed |= take(k) << shift
				shift += k
			}
			for i := range min(3, len(dst)) {
				dst[i] = quints[packed][i]<<n | uint8(low[i])
			}
		}
	default:
		for i := range dst {
			dst[i] = uint8(take(n))
		}
	}
}

// packSequence writes codes to a stream, starting at a bit position.
func (s *span) packSequence(to *stream, position int, src []uint8) {
	n := s.bits
	mask := uint8(1)<<n - 1
	switch {
	case s.trits:
		for ; len(src) > 0; src = src[min(5, len(src)):] {
			at := 0
			for i, v := range src[:min(5, len(src))] {
				at += int(v>>n) * tritPlace[i]
			}
			packed := uint64(tritsPacked[at])
			for i, v := range src[:min(5, len(src))] {
				k := tritOrder[i]
				to.putBits(position, uint64(v&mask)|packed&(1<<k-1)<<n)
				position += int(n) + k
				packed >>= k
			}
		}
	case s.quints:
		for ; len(src) > 0; src = src[min(3, len(src)):] {
			at := 0
			for i, v := range src[:min(3, len(src))] {
				at += int(v>>n) * quintPlace[i]
			}
			packed := uint64(quintsPacked[at])
			for i, v := range src[:min(3, len(src))] {
				k := quintOrder[i]
				to.putBits(position, uint64(v&mask)|packed&(1<<k-1)<<n)
				position += int(n) + k
				packed >>= k
			}
		}
	default:
		for _, v := range src {
			to.putBits(position, uint64(v))
			position += int(n)
		}
	}
}

var (
	tritPlace  = [5]int{1, 3, 9, 27, 81}
	quintPlace = [3]int{1, 5, 25}

	trits        [256][5]uint8
	tritsPacked  [243]uint8
	quints       [128][3]uint8
	quintsPacked [125]uint8
)

// tritTables returns the five trits of each byte, and the smallest byte for each five trits. A
// shorter sequence omits the top bits of its last byte. In the smallest byte these bits are 0.
func tritTables() (unpacked [256][5]uint8, packed [243]uint8) {
	for v := 255; v >= 0; v-- {
		t := &unpacked[v]
		c := v & 31
		switch {
		case v>>2&7 == 7:
			c = v>>5<<2 | v&3
			t[4], t[3] = 2, 2
		case v>>5&3 == 3:
			t[4], t[3] = 2, uint8(v>>7)
		default:
			t[4], t[3] = uint8(v>>7), uint8(v>>5&3)
		}
		pair := func(v int) uint8 { return uint8(v>>1<<1 | v&1&^(v>>1)) }
		switch {
		case c&3 == 3:
			t[2], t[1], t[0] = 2, uint8(c>>4), pair(c>>2&3)
		case c>>2&3 == 3:
			t[2], t[1], t[0] = 2, 2, uint8(c&3)
		default:
			t[2], t[1], t[0] = uint8(c>>4), uint8(c>>2&3), pair(c&3)
		}
		at := 0
		for i, digit := range t {
			at += int(digit) * tritPlace[i]
		}
		packed[at] = uint8(v)
	}
	return unpacked, packed
}

// quintTables is like tritTables, but for three quints in seven bits.
func quintTables() (unpacked [128][3]uint8, packed [125]uint8) {
	for v := 127; v >= 0; v-- {
		q := &unpacked[v]
		if v>>1&3 == 3 && v>>5&3 == 0 {
			high := ^v & 1
			q[2], q[1], q[0] = uint8(v&1<<2|v>>4&high<<1|v>>3&high), 4, 4
		} else {
			c := v & 31
			q[2] = uint8(v >> 5 & 3)
			if v>>1&3 == 3 {
				c = v>>3&3<<3 | ^v>>5&3<<1 | v&1
				q[2] = 4
			}
			if c&7 == 5 {
				q[1], q[0] = 4, uint8(c>>3)
			} else {
				q[1], q[0] = uint8(c>>3), uint8(c&7)
			}
		}
		packed[int(q[0])*quintPlace[0]+int(q[1])*quintPlace[1]+int(q[2])*quintPlace[2]] = uint8(v)
	}
	return unpacked, packed
}
