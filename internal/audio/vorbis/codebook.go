package vorbis

import (
	"errors"
	"math"
	"math/bits"
	"slices"
)

// These limits are far above the needs of encoders. They prevent a header of a few bytes from
// requiring gigabytes.
const (
	maxEntries = 1 << 18 // maximum number of entries of all codebooks together
	maxValues  = 1 << 21 // maximum number of elements of all vectors together
)

// A codebook is a prefix code whose entries may represent vectors (section 3).
type codebook struct {
	dimensions int
	entries    int
	code       *prefixCode
	isVector   bool
	vectors    []float32 // vectors of all entries, each of length dimensions
}

func (d *decoder) readCodebook(r *bitReader) (codebook, error) {
	var c codebook
	if r.bits(24) != 0x564342 {
		return c, errors.New("a codebook is missing; the file is damaged")
	}
	c.dimensions, c.entries = int(r.bits(16)), int(r.bits(24))
	if d.entries += c.entries; d.entries > maxEntries || c.entries == 0 || c.dimensions == 0 {
		return c, errors.New("a codebook has an invalid size; the file is damaged")
	}
	lengths, err := readWordLengths(r, c.entries)
	if err != nil {
		return c, err
	}
	if !d.probing {
		if c.code, err = newPrefixCode(lengths); err != nil {
			return c, err
		}
	}
	return c, d.readVectors(r, &c)
}

// readWordLengths reads the code word length of each entry in bits; 0 means an unused entry.
func readWordLengths(r *bitReader, entries int) ([]uint8, error) {
	lengths := make([]uint8, entries)
	if r.readFlag() { // the lengths are in ascending order
		length := uint8(r.bits(5)) + 1
		for i := 0; i < entries; length++ {
			n := int(r.bits(ilog(uint32(entries - i))))
			if n > entries-i || length > 32 {
				return nil, errors.New("a codebook has invalid codeword lengths; the file is damaged")
			}
			for range n {
				lengths[i] = length
				i++
			}
		}
	} else {
		sparse := r.readFlag()
		for i := range lengths {
			if !sparse || r.readFlag() {
				lengths[i] = uint8(r.bits(5)) + 1
			}
		}
	}
	if r.short {
		return nil, errShortHeader
	}
	return lengths, nil
}

// readVectors reads the vectors of a codebook (sections 3.2.1 and 3.3).
func (d *decoder) readVectors(r *bitReader, c *codebook) error {
	kind := r.bits(4)
	if kind == 0 {
		return nil
	}
	if kind > 2 {
		return errors.New("a codebook has an unknown type; the file is damaged")
	}
	c.isVector = true
	least, delta := unpackFloat(r.bits(32)), unpackFloat(r.bits(32))
	width := uint(r.bits(4)) + 1
	cumulative := r.readFlag()
	if d.values += c.entries * c.dimensions; d.values > maxValues {
		return errors.New("a codebook has an invalid size; the file is damaged")
	}
	count := c.entries * c.dimensions
	if kind == 1 {
		count = latticeSide(c.entries, c.dimensions)
	}
	if d.probing {
		for range count {
			r.bits(width)
		}
		if r.short {
			return errShortHeader
		}
		return nil
	}
	steps := make([]float32, count)
	for i := range steps {
		steps[i] = float32(float64(float64(r.bits(width))*delta) + least)
	}
	if r.short {
		return errShortHeader
	}
	c.vectors = make([]float32, c.entries*c.dimensions)
	for entry := range c.entries {
		vector := c.vectors[entry*c.dimensions:][:c.dimensions]
		rest, last := entry, float32(0)
		for i := range vector {
			if kind == 1 {
				vector[i] = steps[rest%count]
				rest /= count
			} else {
				vector[i] = steps[entry*c.dimensions+i]
			}
			if cumulative {
				vector[i] += last
				last = vector[i]
			}
		}
	}
	return nil
}

// latticeSide returns the largest n with n^dimensions <= entries (section 9.2.3).
func latticeSide(entries, dimensions int) int {
	fits := func(n int) bool {
		p := 1
		for range dimensions {
			if p *= n; p > entries {
				return false
			}
			if n == 1 {
				break
			}
		}
		return true
	}
	n := 1
	for fits(n + 1) {
		n++
	}
	return n
}

// unpackFloat decodes the format's own floating-point encoding (section 9.2.2).
func unpackFloat(x uint32) float64 {
	v := math.Ldexp(float64(x&0x1fffff), int(x>>21&0x3ff)-788)
	if x>>31 != 0 {
		return -v
	}
	return v
}

// fastBits is the length of the longest code words that a single table lookup decodes.
const fastBits = 10

// A prefixCode decodes code words, whose first bit is the lowest in the stream.
type prefixCode struct {
	fast [1 << fastBits]uint32 // entry<<8 | word length; 0 for words longer than fastBits
	long []longWord            // words longer than fastBits, sorted by word
	only bool                  // set if the code has a single entry, which both a 0 bit and a 1 bit select
}

// A longWord is a code word, left-aligned with its first bit highest.
type longWord struct {
	word   uint32
	length uint8
	entry  uint32
}

// newPrefixCode assigns each entry, in order, the lowest free word of its length (section 3.2.1).
func newPrefixCode(lengths []uint8) (*prefixCode, error) {
	c := new(prefixCode)
	used, last := 0, 0
	for i, n := range lengths {
		if n > 0 {
			used, last = used+1, i
		}
	}
	if used == 1 {
		// A tree with one leaf is incomplete. According to the specification's errata its word has
		// one bit, and decoders accept either value.
		c.only = true
		c.fast[0] = uint32(last)<<8 | 1
		return c, nil
	}
	// free[n] is the lowest free word of n bits, left-aligned; 0 if there is none. Initially the
	// whole tree is free.
	var free [33]uint32
	rootFree := true
	for entry, length := range lengths {
		n := int(length)
		if n == 0 {
			continue
		}
		var word uint32
		if rootFree {
			rootFree = false
			for k := 1; k <= n; k++ {
				free[k] = 1 << (32 - k)
			}
		} else {
			k := n
			for k > 0 && free[k] == 0 {
				k--
			}
			if k == 0 {
				return c, errors.New("a codebook has too many codewords; the file is damaged")
			}
			word, free[k] = free[k], 0
			for j := k + 1; j <= n; j++ {
				free[j] = word | 1<<(32-j)
			}
		}
		c.addWord(word, n, uint32(entry))
	}
	for _, word := range free {
		if word != 0 {
			return c, errors.New("a codebook has too few codewords; the file is damaged")
		}
	}
	slices.SortFunc(c.long, func(a, b longWord) int {
		if a.word < b.word {
			return -1
		}
		return 1
	})
	return c, nil
}

func (c *prefixCode) addWord(word uint32, length int, entry uint32) {
	if length > fastBits {
		c.long = append(c.long, longWord{word, uint8(length), entry})
		return
	}
	for i := bits.Reverse32(word); i < 1<<fastBits; i += 1 << length {
		c.fast[i] = entry<<8 | uint32(length)
	}
}

// readCodeEntry reads a code word and returns its entry. At the packet's end it sets r.short.
func (c *codebook) readCodeEntry(r *bitReader) int {
	if r.n < 32 {
		r.fill32()
	}
	if c.code.only {
		r.dropBits(1)
		return int(c.code.fast[0] >> 8)
	}
	if e := c.code.fast[r.acc&(1<<fastBits-1)]; e != 0 {
		r.dropBits(uint(e & 0xff))
		return int(e >> 8)
	}
	word := bits.Reverse32(uint32(r.acc))
	i, found := slices.BinarySearchFunc(c.code.long, word, func(w longWord, word uint32) int {
		switch {
		case w.word > word:
			return 1
		case w.word < word:
			return -1
		}
		return 0
	})
	if !found {
		i-- // index of the last word that is not greater than the bits
	}
	if i < 0 { // the code has no words
		r.short = true
		return 0
	}
	w := c.code.long[i]
	r.dropBits(uint(w.length))
	return int(w.entry)
}

// readVector reads a code word and returns its vector.
func (c *codebook) readVector(r *bitReader) []float32 {
	e := c.readCodeEntry(r)
	return c.vectors[e*c.dimensions:][:c.dimensions]
}

// A bitReader reads the bits of a packet, lowest bit of each byte first (section 2.1). After the
// end of the packet it reads zeros and sets short.
type bitReader struct {
	data  []byte
	acc   uint64
	n     uint // number of valid bits in acc
	short bool // set if a read exceeded the end
}

// fill32 makes at least 32 bits available, with zeros after the end.
func (r *bitReader) fill32() {
	for r.n <= 56 && len(r.data) > 0 {
		r.acc |= uint64(r.data[0]) << r.n
		r.data = r.data[1:]
		r.n += 8
	}
}

// bits reads n bits, at most 32.
func (r *bitReader) bits(n uint) uint32 {
	if r.n < n {
		r.fill32()
	}
	v := uint32(r.acc & (1<<n - 1))
	r.dropBits(n)
	return v
}

func (r *bitReader) readFlag() bool { return r.bits(1) != 0 }

// dropBits consumes n bits, which fill32 must have made available.
func (r *bitReader) dropBits(n uint) {
	if r.n < n {
		r.short, r.acc, r.n = true, 0, 0
		return
	}
	r.acc >>= n
	r.n -= n
}

// ilog returns the bit length of v (section 9.2.1).
func ilog(v uint32) uint {
	n := uint(0)
	for ; v > 0; v >>= 1 {
		n++
	}
	return n
}
