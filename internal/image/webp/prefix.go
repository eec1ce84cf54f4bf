package webp

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxLength is the maximum length of a symbol's code in bits. maxLengthOfLengths is the maximum
// length of the code for a code length.
const (
	maxLength          = 15
	maxLengthOfLengths = 7
)

// A prefixCode holds the code of each symbol, with the first bit lowest. If only one symbol occurs,
// its code has no bits.
type prefixCode struct {
	lengths []uint8
	bits    []uint16
}

// write writes a symbol.
func (c *prefixCode) write(w *bitWriter, symbol uint32) {
	w.write(uint32(c.bits[symbol]), uint(c.lengths[symbol]))
}

// codeOf returns the best prefix code for the counts with at most longest bits per symbol.
func codeOf(counts []uint32, longest uint8) prefixCode {
	c := prefixCode{codeLengths(counts, longest), make([]uint16, len(counts))}
	var next [maxLength + 2]uint16
	for _, n := range c.lengths {
		if n > 0 {
			next[n+1]++
		}
	}
	for n := 1; n < len(next); n++ {
		next[n] = next[n] + next[n-1]
		next[n] <<= 1
	}
	for i, n := range c.lengths {
		if n > 0 {
			c.bits[i] = bits.Reverse16(next[n]) >> (16 - n)
			next[n]++
		}
	}
	return c
}

// A node is a node of the Huffman tree.
type node struct {
	count       uint32
	symbol      int32 // -1 for an inner node
	left, right int32
}

// codeLengths returns the code lengths of a Huffman code. As long as a length exceeds the
// limit, it raises the counts of rare symbols and tries again.
func codeLengths(counts []uint32, longest uint8) []uint8 {
	lengths := make([]uint8, len(counts))
	var leaves []node
	for i, c := range counts {
		if c > 0 {
			leaves = append(leaves, node{count: c, symbol: int32(i)})
		}
	}
	switch len(leaves) {
	case 0:
		return lengths
	case 1:
		lengths[leaves[0].symbol] = 1
		return lengths
	}
	for least := uint32(1); ; least *= 2 {
		tree := make([]node, 0, 2*len(leaves))
		for _, l := range leaves {
			l.count = max(l.count, least)
			tree = append(tree, l)
		}
		slices.SortFunc(tree, func(a, b node) int {
			return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.symbol, b.symbol))
		})
		// Leaves and inner nodes are two queues, both sorted by count.
		leaf, inner := 0, len(leaves)
		rarest := func() int32 {
			if inner == len(tree) || leaf < len(leaves) && tree[leaf].count <= tree[inner].count {
				leaf++
				return int32(leaf - 1)
			}
			inner++
			return int32(inner - 1)
		}
		for range len(leaves) - 1 {
			a, b := rarest(), rarest()
			tree = append(tree, node{tree[a].count + tree[b].count, -1, a, b})
		}
		if setLengths(lengths, tree, longest) {
			return lengths
		}
	}
}

// setLengths sets the code lengths of all symbols. It returns false if a length exceeds
// longest. The root must be the last node, and each node must come after its children.
func setLengths(lengths []uint8, tree []node, longest uint8) bool {
	depths := make([]uint8, len(tree))
	for i := len(tree) - 1; i >= 0; i-- {
		n := &tree[i]
		if n.symbol >= 0 {
			if depths[i] > longest {
				return false
			}
			lengths[n.symbol] = depths[i]
			continue
		}
		depths[n.left], depths[n.right] = depths[i]+1, depths[i]+1
	}
	return true
}

// writeCode writes the code for the given counts, and returns it.
func writeCode(w *bitWriter, counts []uint32) prefixCode {
	var used []uint32
	for i, n := range counts {
		if n > 0 {
			used = append(used, uint32(i))
		}
	}
	c := codeOf(counts, maxLength)
	if len(used) == 0 {
		used = []uint32{0}
	}
	if len(used) <= 2 && used[len(used)-1] < 256 {
		writeSimpleCode(w, used)
	} else {
		writeLengths(w, c.lengths)
	}
	if len(used) == 1 {
		clear(c.lengths)
	}
	return c
}

// writeSimpleCode writes a code for one or two symbols below 256.
func writeSimpleCode(w *bitWriter, used []uint32) {
	w.write(1, 1)
	w.write(uint32(len(used)-1), 1)
	if used[0] < 2 {
		w.write(0, 1)
		w.write(used[0], 1)
	} else {
		w.write(1, 1)
		w.write(used[0], 8)
	}
	if len(used) == 2 {
		w.write(used[1], 8)
	}
}

// lengthOrder lists code length symbols in the storage order of their own lengths.
var lengthOrder = [19]uint8{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// A lengthSymbol is a code length below 16, or a repeat code of 16 to 18 with its extra bits.
type lengthSymbol struct{ symbol, extra uint8 }

// extraOf holds the number of extra bits for symbols 16, 17 and 18.
var extraOf = [3]uint{2, 3, 7}

// writeLengths writes the code lengths of a prefix code.
func writeLengths(w *bitWriter, lengths []uint8) {
	symbols := packLengths(lengths)
	// Trailing zeros are omitted if writing the number of symbols takes fewer bits.
	short := len(symbols)
	var spared uint
	counts := make([]uint32, 19)
	for _, s := range symbols {
		counts[s.symbol]++
	}
	code := codeOf(counts, maxLengthOfLengths)
	for short > 0 && (symbols[short-1].symbol == 0 || symbols[short-1].symbol > 16) {
		short--
		s := symbols[short].symbol
		spared += uint(code.lengths[s])
		if s > 16 {
			spared += extraOf[s-16]
		}
	}
	n := len(lengthOrder)
	for n > 4 && code.lengths[lengthOrder[n-1]] == 0 {
		n--
	}
	w.write(0, 1)
	w.write(uint32(n-4), 4)
	for _, s := range lengthOrder[:n] {
		w.write(uint32(code.lengths[s]), 3)
	}
	if sizeBits := uint(max(2, bits.Len(uint(max(short, 2)-2))+1) &^ 1); short >= 2 && spared > sizeBits+3 {
		w.write(1, 1)
		w.write(uint32(sizeBits/2-1), 3)
		w.write(uint32(short-2), sizeBits)
		symbols = symbols[:short]
	} else {
		w.write(0, 1)
	}
	single := 0
	for _, n := range counts {
		if n > 0 {
			single++
		}
	}
	for _, s := range symbols {
		if single > 1 {
			code.write(w, uint32(s.symbol))
		}
		if s.symbol >= 16 {
			w.write(uint32(s.extra), extraOf[s.symbol-16])
		}
	}
}

// packLengths replaces runs by repeat codes. Code 16 repeats the previous length; 17 and 18 repeat
// zero.
func packLengths(lengths []uint8) (symbols []lengthSymbol) {
	before := uint8(8)
	for i := 0; i < len(lengths); {
		v, run := lengths[i], 1
		for i+run < len(lengths) && lengths[i+run] == v {
			run++
		}
		i += run
		if v != 0 && v != before {
			symbols = append(symbols, lengthSymbol{v, 0})
			before = v
			run--
		}
		for run > 0 {
			switch {
			case v == 0 && run >= 11:
				n := min(run, 138)
				symbols = append(symbols, lengthSymbol{18, uint8(n - 11)})
				run -= n
			case v == 0 && run >= 3:
				symbols = append(symbols, lengthSymbol{17, uint8(run - 3)})
				run = 0
			case v != 0 && run >= 3:
				n := min(run, 6)
				symbols = append(symbols, lengthSymbol{16, uint8(n - 3)})
				run -= n
			default:
				symbols = append(symbols, lengthSymbol{v, 0})
				run--
			}
		}
	}
	return symbols
}

// A bitWriter appends bits, least significant first.
type bitWriter struct {
	out  []byte
	bits uint64 // bits that are not in out yet
	n    uint   // number of pending bits; below 8 between writes
}

// write appends the n lowest bits of v. All higher bits of v must be 0; n is at most 32.
func (w *bitWriter) write(v uint32, n uint) {
	w.bits |= uint64(v) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

// size returns the number of bits written.
func (w *bitWriter) size() int { return 8*len(w.out) + int(w.n) }

// finish returns the bytes. The last byte is padded with zero bits.
func (w *bitWriter) finish() []byte {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
	return w.out
}
