package main

import "slices"

// bitWriter packs bits into bytes, lowest bit first, as both Deflate and VP8L
// want them.
type bitWriter struct {
	out  []byte
	acc  uint64
	held uint
}

// write appends the low n <= 32 bits of v.
func (w *bitWriter) write(v uint32, n uint) {
	w.acc |= uint64(v) << w.held
	w.held += n
	for w.held >= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
		w.held -= 8
	}
}

// bytes pads the last byte with zeros and returns everything.
func (w *bitWriter) bytes() []byte {
	if w.held > 0 {
		w.write(0, 8-w.held)
	}
	return w.out
}

// prefixCode is a canonical Huffman code: per symbol its length in bits (0 if
// unused) and its bits in the order in which they are written.
type prefixCode struct {
	length []uint8
	bits   []uint32
}

// write appends one symbol.
func (c prefixCode) write(w *bitWriter, symbol int) {
	w.write(c.bits[symbol], uint(c.length[symbol]))
}

// newPrefixCode builds a code of at most limit bits for the given counts. It is
// always complete: with fewer than two used symbols, others are added, because
// some decoders refuse a code with a hole. counts is not changed.
func newPrefixCode(counts []int, limit uint8) prefixCode {
	counts = slices.Clone(counts)
	used := 0
	for _, n := range counts {
		if n > 0 {
			used++
		}
	}
	for s := 0; used < 2; s++ {
		if counts[s] == 0 {
			counts[s] = 1
			used++
		}
	}
	for {
		length := huffmanLengths(counts)
		if slices.Max(length) <= limit {
			return prefixCode{length, canonicalBits(length)}
		}
		// Too deep: flatter counts give a flatter tree. This ends, at the
		// latest when all counts are equal.
		for s, n := range counts {
			if n > 0 {
				counts[s] = n/2 + 1
			}
		}
	}
}

// huffmanLengths returns the depth of every symbol with a count in a Huffman
// tree. Ties go to the lower symbol, leaves before inner nodes.
func huffmanLengths(counts []int) []uint8 {
	type node struct{ count, parent int }
	var nodes []node
	var symbols []int
	for s, n := range counts {
		if n > 0 {
			symbols = append(symbols, s)
		}
	}
	slices.SortStableFunc(symbols, func(a, b int) int { return counts[a] - counts[b] })
	for _, s := range symbols {
		nodes = append(nodes, node{count: counts[s]})
	}
	// Leaves stand in order and inner nodes are made in order, so the two
	// smallest are always at the head of one of the two queues.
	leaf, inner := 0, len(symbols)
	smallest := func() int {
		if leaf < len(symbols) && (inner >= len(nodes) || nodes[leaf].count <= nodes[inner].count) {
			leaf++
			return leaf - 1
		}
		inner++
		return inner - 1
	}
	for len(nodes) < 2*len(symbols)-1 {
		a := smallest()
		b := smallest()
		nodes[a].parent, nodes[b].parent = len(nodes), len(nodes)
		nodes = append(nodes, node{count: nodes[a].count + nodes[b].count})
	}
	depth := make([]uint8, len(nodes))
	for i := len(nodes) - 2; i >= 0; i-- {
		depth[i] = depth[nodes[i].parent] + 1
	}
	length := make([]uint8, len(counts))
	for i, s := range symbols {
		length[s] = depth[i]
	}
	return length
}

// canonicalBits numbers the codes by length, then by symbol (RFC 1951, 3.2.2),
// and turns them round, since the first bit of a code is written first.
func canonicalBits(length []uint8) []uint32 {
	bits := make([]uint32, len(length))
	code := uint32(0)
	for n := uint8(1); n <= 15; n++ {
		for s, l := range length {
			if l != n {
				continue
			}
			for i := range n {
				bits[s] |= code >> i & 1 << (n - 1 - i)
			}
			code++
		}
		code <<= 1
	}
	return bits
}

// lengthRun is one symbol of the alphabet in which code lengths are written: a
// length 0..15, 16 (repeat the last), 17 or 18 (zeros), and its extra bits.
// Deflate and VP8L share it.
type lengthRun struct {
	symbol int
	extra  uint32
	bits   uint
}

// lengthRuns packs code lengths.
func lengthRuns(length []uint8) []lengthRun {
	var runs []lengthRun
	for i := 0; i < len(length); {
		n := 1
		for i+n < len(length) && length[i+n] == length[i] {
			n++
		}
		value := length[i]
		i += n
		if value != 0 { // 16 repeats what stands before it
			runs = append(runs, lengthRun{symbol: int(value)})
			n--
		}
		for n > 0 {
			switch {
			case value == 0 && n >= 11:
				k := min(n, 138)
				runs = append(runs, lengthRun{18, uint32(k - 11), 7})
				n -= k
			case value == 0 && n >= 3:
				runs = append(runs, lengthRun{17, uint32(n - 3), 3})
				n = 0
			case value != 0 && n >= 3:
				k := min(n, 6)
				runs = append(runs, lengthRun{16, uint32(k - 3), 2})
				n -= k
			default:
				runs = append(runs, lengthRun{symbol: int(value)})
				n--
			}
		}
	}
	return runs
}

// lengthCode returns the code for the symbols of runs.
func lengthCode(runs []lengthRun) prefixCode {
	counts := make([]int, 19)
	for _, r := range runs {
		counts[r.symbol]++
	}
	return newPrefixCode(counts, 7)
}

// writeRuns writes the packed code lengths with their code.
func writeRuns(w *bitWriter, runs []lengthRun, c prefixCode) {
	for _, r := range runs {
		c.write(w, r.symbol)
		w.write(r.extra, r.bits)
	}
}

// usedInOrder returns how many entries of order have to be written so that all
// used symbols of c are among them; at least four, the least that the formats
// can state.
func usedInOrder(c prefixCode, order *[19]int) int {
	n := len(order)
	for n > 4 && c.length[order[n-1]] == 0 {
		n--
	}
	return n
}
