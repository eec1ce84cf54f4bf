package main

import (
	"encoding/binary"
	"hash/adler32"
	"math/bits"
)

// blockTokens is how many tokens share one Huffman code in a Deflate block.
const blockTokens = 1 << 14

// deflateOrder is the order in which Deflate states the lengths of its length
// code (RFC 1951, 3.2.7).
var deflateOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// compressZlib returns data as a zlib stream (RFC 1950).
func compressZlib(data []byte) []byte {
	w := &bitWriter{out: []byte{0x78, 0xda}}
	tokens := parse(data, 258, 1<<15)
	for {
		n := min(len(tokens), blockTokens)
		last := n == len(tokens)
		deflateBlock(w, tokens[:n], last)
		if last {
			return binary.BigEndian.AppendUint32(w.bytes(), adler32.Checksum(data))
		}
		tokens = tokens[n:]
	}
}

// deflateBlock writes one block with a Huffman code of its own.
func deflateBlock(w *bitWriter, tokens []token[byte], last bool) {
	const endOfBlock = 256
	literals, distances := make([]int, 286), make([]int, 30)
	literals[endOfBlock] = 1
	for _, t := range tokens {
		if t.length == 0 {
			literals[t.literal]++
			continue
		}
		symbol, _, _ := deflateLength(t.length)
		literals[symbol]++
		symbol, _, _ = deflateDistance(t.distance)
		distances[symbol]++
	}
	literalCode := newPrefixCode(literals, 15)
	distanceCode := newPrefixCode(distances, 15)

	final := uint32(0)
	if last {
		final = 1
	}
	w.write(final, 1)
	w.write(2, 2) // dynamic Huffman codes
	w.write(286-257, 5)
	w.write(30-1, 5)
	runs := lengthRuns(append(literalCode.length, distanceCode.length...))
	code := lengthCode(runs)
	n := usedInOrder(code, &deflateOrder)
	w.write(uint32(n-4), 4)
	for _, s := range deflateOrder[:n] {
		w.write(uint32(code.length[s]), 3)
	}
	writeRuns(w, runs, code)

	for _, t := range tokens {
		if t.length == 0 {
			literalCode.write(w, int(t.literal))
			continue
		}
		symbol, extra, width := deflateLength(t.length)
		literalCode.write(w, symbol)
		w.write(extra, width)
		symbol, extra, width = deflateDistance(t.distance)
		distanceCode.write(w, symbol)
		w.write(extra, width)
	}
	literalCode.write(w, endOfBlock)
}

// deflateLength returns the symbol and extra bits for a match of 3..258 bytes.
func deflateLength(n int) (symbol int, extra uint32, width uint) {
	if n == 258 {
		return 285, 0, 0
	}
	symbol, extra, width = bucket(n-3, 4)
	return 257 + symbol, extra, width
}

// deflateDistance returns the symbol and extra bits for a distance of 1..32768.
func deflateDistance(d int) (symbol int, extra uint32, width uint) {
	return bucket(d-1, 2)
}

// bucket finds v >= 0 in a scale in which every power of two is cut into split
// parts (split is itself a power of two): Deflate's lengths have four, its
// distances and all of VP8L's numbers two. Values below 2*split have a bucket
// each.
func bucket(v, split int) (symbol int, extra uint32, width uint) {
	if v < 2*split {
		return v, 0, 0
	}
	width = uint(bits.Len(uint(v)) - bits.Len(uint(split)))
	return int(width)*split + v>>width, uint32(v) & (1<<width - 1), width
}
