package imagetest

import "encoding/binary"

// WebPTrees returns a lossless image of side×side pixels. Its tiles use the given number of groups
// of Huffman trees, and each tree is as large as possible. A group takes some 200 bytes of the file
// and 50 KB of a decoder's memory.
//
// The layout follows "WebP Lossless Bitstream Specification", sections 5 and 6.
func WebPTrees(side, groups int) []byte {
	w := new(bitWriter)
	w.putLowFirst(0x2f, 8)
	w.putLowFirst(uint32(side-1), 14)
	w.putLowFirst(uint32(side-1), 14)
	w.putLowFirst(0, 1+3) // alpha is unused, and the version is 0
	w.putLowFirst(0, 1)   // there are no transforms
	const cacheBits = 11
	w.putLowFirst(1, 1)
	w.putLowFirst(cacheBits, 4)

	// The entropy image has one pixel for each tile of 4 by 4 pixels.
	w.putLowFirst(1, 1)
	w.putLowFirst(0, 3)
	w.putLowFirst(0, 1)    // there is no color cache
	w.fixedTree(256+24, 8) // green tree: any byte, in 8 bits
	w.fixedTree(256, 4)    // red tree: 0 to 15, in 4 bits
	w.emptyTree()
	w.emptyTree()
	w.emptyTree()
	tiles := ((side + 3) / 4) * ((side + 3) / 4)
	for i := range tiles {
		w.putCode(uint32(i%groups)&255, 8)
		w.putCode(uint32(i%groups)>>8, 4)
	}

	for range groups {
		w.fullTree(256 + 24 + 1<<cacheBits)
		w.fullTree(256)
		w.fullTree(256)
		w.fullTree(256)
		w.fullTree(40)
	}
	// These trees decode any sequence of zero bits to pixels.
	w.putLowFirst(0, 8)
	body := append(w.bytes, make([]byte, side*side*5)...)
	return riff(body)
}

func riff(vp8l []byte) []byte {
	if len(vp8l)%2 == 1 {
		vp8l = append(vp8l, 0)
	}
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(vp8l)))
	b = append(b, "WEBPVP8L"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(vp8l)))
	return append(b, vp8l...)
}

// A bitWriter writes bits, lowest bit of each byte first.
type bitWriter struct {
	bytes []byte
	used  int // number of bits used in the last byte
}

func (w *bitWriter) putLowFirst(v uint32, bits int) {
	for i := range bits {
		if w.used%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[len(w.bytes)-1] |= byte(v>>i&1) << (w.used % 8)
		w.used++
	}
}

// putCode writes a Huffman code, highest bit first.
func (w *bitWriter) putCode(v uint32, bits int) {
	for i := bits - 1; i >= 0; i-- {
		w.putLowFirst(v>>i&1, 1)
	}
}

// emptyTree writes a tree with one symbol, 0, which takes no bits.
func (w *bitWriter) emptyTree() { w.putLowFirst(0b0001, 4) }

// fixedTree writes a tree that has codes of equal length for the first 2^bits symbols.
func (w *bitWriter) fixedTree(symbols, bits int) {
	w.writeCodeLengths(map[int]int{bits: 1 << bits}, symbols)
}

// fullTree writes a tree that has a code for every symbol. There are at most two different code
// lengths.
func (w *bitWriter) fullTree(symbols int) {
	long := 0
	for 1<<long < symbols {
		long++
	}
	short := 1<<long - symbols // number of codes that are one bit shorter
	w.writeCodeLengths(map[int]int{long - 1: short, long: symbols - short}, symbols)
}

// writeCodeLengths writes a tree. count is the number of symbols of each code length; symbols with
// shorter codes are first, and symbols without a code are last. Each length is written as a code of
// four bits. Code 16, which repeats a length three to six times, has four bits, too.
func (w *bitWriter) writeCodeLengths(count map[int]int, symbols int) {
	w.putLowFirst(0, 1)
	order := []int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	w.putLowFirst(uint32(len(order)-4), 4)
	const codes = 16 // the lengths 0 to 14, and the repetition, have codes of four bits each
	for _, symbol := range order {
		if symbol < codes-1 || symbol == 16 {
			w.putLowFirst(4, 3)
		} else {
			w.putLowFirst(0, 3)
		}
	}
	w.putLowFirst(0, 1) // a flag: the lengths of all symbols follow
	code := func(symbol int) uint32 { return uint32(min(symbol, codes-1)) }
	left := symbols
	for length := 1; length <= 15; length++ {
		n := count[length]
		if n <= 0 {
			continue
		}
		left -= n
		w.putCode(code(length), 4)
		for n--; n >= 3; {
			run := min(n, 6)
			w.putCode(code(16), 4)
			w.putLowFirst(uint32(run-3), 2)
			n -= run
		}
		for ; n > 0; n-- {
			w.putCode(code(length), 4)
		}
	}
	for ; left > 0; left-- {
		w.putCode(code(0), 4)
	}
}
