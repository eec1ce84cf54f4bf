package source

import (
	"fmt"
	"math/bits"
)

// A jpegCode is a Huffman table (ITU-T T.81, annex C).
type jpegCode struct {
	short  [256]uint16 // value and code length for the next eight bits; 0 if the code is longer
	most   [17]int32   // largest code of each length; -1 if no code has this length
	offset [17]int32   // difference between the index of a value and its code, for each length
	values []byte
}

// readCodeTable reads a Huffman table, which has sixteen counts and the values. It returns the
// remaining bytes.
func (c *jpegCode) readCodeTable(b []byte) (rest []byte, ok bool) {
	*c = jpegCode{}
	code, n := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		count := int32(b[length-1])
		c.most[length], c.offset[length] = -1, n-code
		if count > 0 {
			c.most[length] = code + count - 1
		}
		code, n = (code+count)<<1, n+count
	}
	if n > 256 || len(b) < 16+int(n) {
		return nil, false
	}
	c.values = b[16 : 16+n]
	for i := range c.short {
		for length := 1; length <= 8; length++ {
			if v := int32(i) >> (8 - length); v <= c.most[length] {
				if at := v + c.offset[length]; at >= 0 && at < n {
					c.short[i] = uint16(c.values[at])<<8 | uint16(length)
				}
				break
			}
		}
	}
	return b[16+n:], true
}

// jpegBits reads bits of entropy-coded data up to the next marker.
type jpegBits struct {
	data []byte
	at   int
	acc  uint64
	n    int // number of unread bits, which are the lowest bits of acc
}

// fillToMarker reads bytes until acc has 56 bits or a marker is reached.
func (b *jpegBits) fillToMarker() {
	for b.n <= 48 && b.at < len(b.data) {
		v := b.data[b.at]
		if v == 0xff {
			if b.at+1 == len(b.data) || b.data[b.at+1] != 0 {
				return
			}
			b.at++
		}
		b.at++
		b.acc, b.n = b.acc<<8|uint64(v), b.n+8
	}
}

// takeEntropy returns the next n bits, at most 16. It returns false if fewer are left.
func (b *jpegBits) takeEntropy(n int) (uint32, bool) {
	if b.n < n {
		if b.fillToMarker(); b.n < n {
			return 0, false
		}
	}
	b.n -= n
	return uint32(b.acc>>b.n) & (1<<n - 1), true
}

// decodeValue reads a Huffman code and returns its value.
func (b *jpegBits) decodeValue(c *jpegCode) (byte, bool) {
	if b.n < 16 {
		b.fillToMarker()
	}
	next := uint32(b.acc<<max(0, 16-b.n)>>max(0, b.n-16)) & 0xffff // missing bits at the end are zeros
	if v := c.short[next>>8]; v != 0 {
		b.n -= int(v & 255)
		return byte(v >> 8), b.n >= 0
	}
	for length := 1; length <= 16; length++ {
		if v := int32(next >> (16 - length)); v <= c.most[length] {
			at := int(v + c.offset[length])
			b.n -= length
			if at < 0 || at >= len(c.values) {
				return 0, false
			}
			return c.values[at], b.n >= 0
		}
	}
	return 0, false
}

// skipToMarker moves to the next marker and returns the number of whole bytes that it skipped.
func (b *jpegBits) skipToMarker() int {
	n := b.n / 8
	b.n = 0
	for {
		from := b.at
		b.fillToMarker()
		if b.at == from {
			return n
		}
		n += b.n / 8
		b.n = 0
	}
}

// A jpegScan reads the blocks of a scan to find where the data ends.
type jpegScan struct {
	bits     jpegBits
	parts    []scanPart
	from, to int  // range of coefficients, in zigzag order
	refines  bool // true if the scan sends one more bit of each coefficient
	skip     int  // number of following blocks without coefficients (end-of-band run)
}

type scanPart struct {
	*jpegPart
	dc, ac *jpegCode
}

// follows reports whether the scan continues where earlier scans ended. high and low are the bit
// positions Ah and Al of the scan. For each coefficient, high must equal Al of the previous scan,
// or 0 in the first scan.
func (s *jpegScan) follows(high, low byte) bool {
	for _, p := range s.parts {
		if s.from > 0 && p.sent[0] == 0 {
			return false
		}
		for k := s.from; k <= s.to; k++ {
			if high != max(1, p.sent[k])-1 {
				return false
			}
			p.sent[k] = low + 1
		}
	}
	return true
}

// readRestart reads the restart marker with number n, which must be the next marker.
func (s *jpegScan) readRestart(n byte) error {
	left := s.bits.skipToMarker()
	b := &s.bits
	for b.at+1 < len(b.data) && b.data[b.at+1] == 0xff {
		b.at++ // skip fill bytes
	}
	if left > 0 || b.at+1 >= len(b.data) || b.data[b.at+1] != 0xd0+n {
		return fmt.Errorf("%w: want restart marker %d at byte %d", errDamagedJPEG, n, b.at-left)
	}
	b.at += 2
	s.skip = 0
	return nil
}

// mcu reads the blocks of the MCU at column x and row y.
func (s *jpegScan) mcu(x, y int) error {
	if len(s.parts) == 1 {
		return s.walkBlock(&s.parts[0], x, y)
	}
	for i := range s.parts {
		p := &s.parts[i]
		for j := range p.across * p.down {
			if err := s.walkBlock(p, x*p.across+j%p.across, y*p.down+j/p.across); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *jpegScan) walkBlock(p *scanPart, x, y int) error {
	var set *uint64
	if p.set != nil {
		set = &p.set[y*p.blocks[0]+x]
	}
	ok := true
	switch {
	case s.refines && s.from == 0:
		_, ok = s.bits.takeEntropy(1)
	case s.refines:
		ok = s.refineCoefficients(p, set)
	default:
		ok = s.readCoefficients(p, set)
	}
	if !ok {
		return fmt.Errorf("%w: the codes end inside a block, at byte %d", errDamagedJPEG, s.bits.at)
	}
	return nil
}

// readCoefficients reads coefficients that no earlier scan has sent.
func (s *jpegScan) readCoefficients(p *scanPart, set *uint64) bool {
	k := s.from
	if k == 0 {
		size, ok := s.bits.decodeValue(p.dc)
		if !ok || size > 16 {
			return false
		}
		if _, ok := s.bits.takeEntropy(int(size)); !ok {
			return false
		}
		k++
	}
	if k > s.to {
		return true
	}
	if s.skip > 0 {
		s.skip--
		return true
	}
	for k <= s.to {
		v, ok := s.bits.decodeValue(p.ac)
		if !ok {
			return false
		}
		zeros, size := int(v>>4), int(v&15)
		if size == 0 && zeros < 15 {
			more, ok := s.bits.takeEntropy(zeros)
			s.skip = 1<<zeros + int(more) - 1
			return ok
		}
		if k += zeros; k > s.to {
			return false
		}
		if _, ok := s.bits.takeEntropy(size); !ok {
			return false
		}
		if set != nil && size > 0 {
			*set |= 1 << k
		}
		k++
	}
	return true
}

// refineCoefficients reads one more bit of each coefficient (ITU-T T.81, section G.1.2.3).
func (s *jpegScan) refineCoefficients(p *scanPart, set *uint64) bool {
	k := s.from
	for s.skip == 0 && k <= s.to {
		v, ok := s.bits.decodeValue(p.ac)
		if !ok {
			return false
		}
		zeros, size := int(v>>4), int(v&15)
		if size == 0 && zeros < 15 {
			more, ok := s.bits.takeEntropy(zeros)
			if !ok {
				return false
			}
			s.skip = 1<<zeros + int(more)
			break
		}
		if _, ok := s.bits.takeEntropy(size); !ok || size > 1 {
			return false
		}
		// Skip a run of zero coefficients, and read a bit for each nonzero coefficient between
		// them.
		for ; k <= s.to; k++ {
			if *set>>k&1 == 0 {
				if zeros--; zeros < 0 {
					break
				}
			} else if _, ok := s.bits.takeEntropy(1); !ok {
				return false
			}
		}
		if k > s.to && size > 0 {
			return false
		}
		if size > 0 {
			*set |= 1 << k
		}
		k++
	}
	if s.skip == 0 {
		return true
	}
	s.skip--
	if k > s.to {
		return true
	}
	band := *set >> k << k & (1<<(s.to+1) - 1)
	for range bits.OnesCount64(band) {
		if _, ok := s.bits.takeEntropy(1); !ok {
			return false
		}
	}
	return true
}
