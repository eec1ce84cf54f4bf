package blockfit

import "encoding/binary"

// Bits is the 128 bits of a block, filled or taken from the lowest on.
type Bits struct {
	Lo, Hi uint64
	at     uint8 // bits that Put has filled
}

// BitsOf returns the bits of a block.
func BitsOf(block *[16]byte) Bits {
	return Bits{Lo: binary.LittleEndian.Uint64(block[:8]), Hi: binary.LittleEndian.Uint64(block[8:])}
}

// Block returns the bits as bytes.
func (b *Bits) Block() (block [16]byte) {
	binary.LittleEndian.PutUint64(block[:8], b.Lo)
	binary.LittleEndian.PutUint64(block[8:], b.Hi)
	return block
}

// Put appends a value of n bits, which has no more.
func (b *Bits) Put(v uint64, n uint8) {
	if b.at < 64 {
		b.Lo |= v << (b.at & 63)
		b.Hi |= v >> (64 - b.at)
	} else {
		b.Hi |= v << (b.at & 63)
	}
	b.at += n
}

// Take removes the lowest n bits, less than 64.
func (b *Bits) Take(n uint8) uint64 {
	v := b.Lo & (1<<n - 1)
	b.Lo = b.Lo>>n | b.Hi<<(64-n)
	b.Hi >>= n
	return v
}
