package main

// token is one step of an LZ77 parse: a literal if length is 0, otherwise a
// copy of length items from distance items back.
type token[T byte | uint32] struct {
	literal          T
	length, distance int
}

// Limits of the search. A match is at least minMatch items; chainLimit bounds
// how many earlier places are tried.
const (
	minMatch   = 3
	chainLimit = 64
	hashBits   = 15
)

// parse splits src into tokens, taking the longest match at each place. Deflate
// runs it over bytes, VP8L over whole pixels.
func parse[T byte | uint32](src []T, maxLength, maxDistance int) []token[T] {
	var head [1 << hashBits]int // last place with this hash, plus one
	before := make([]int, len(src))
	slot := func(i int) uint32 {
		h := uint32(src[i])*0x9e3779b1 ^ uint32(src[i+1])*0x85ebca6b ^ uint32(src[i+2])*0xc2b2ae35
		return h * 0x27d4eb2f >> (32 - hashBits)
	}
	enter := func(i int) {
		if i+minMatch <= len(src) {
			s := slot(i)
			before[i], head[s] = head[s], i+1
		}
	}
	longest := func(i int) (length, distance int) {
		if i+minMatch > len(src) {
			return 0, 0
		}
		limit := min(maxLength, len(src)-i)
		for at, tries := head[slot(i)], 0; at > 0 && tries < chainLimit; at, tries = before[at-1], tries+1 {
			d := i - (at - 1)
			if d > maxDistance {
				break
			}
			n := 0
			for n < limit && src[i+n] == src[i+n-d] {
				n++
			}
			if n > length {
				length, distance = n, d
			}
		}
		if length < minMatch {
			return 0, 0
		}
		return length, distance
	}

	var tokens []token[T]
	for i := 0; i < len(src); {
		length, distance := longest(i)
		tokens = append(tokens, token[T]{src[i], length, distance})
		for range max(length, 1) {
			enter(i)
			i++
		}
	}
	return tokens
}
