package vorbis

import (
	"strings"
	"testing"
)

func TestWordsAreAssignedInOrder(t *testing.T) {
	for _, c := range []struct {
		name    string
		lengths []uint8
		err     string
	}{
		{"of the specification", []uint8{2, 4, 4, 4, 4, 2, 3, 3}, ""},
		{"one entry", []uint8{0, 1, 0}, ""},
		{"one entry of five bits", []uint8{5}, ""},
		{"none", []uint8{0, 0}, ""},
		{"full at 32 bits", append(func() (l []uint8) {
			for i := uint8(1); i <= 31; i++ {
				l = append(l, i)
			}
			return l
		}(), 32, 32), ""},
		{"too many", []uint8{1, 1, 1}, "too many codewords"},
		{"too few", []uint8{1, 2}, "too few codewords"},
	} {
		_, err := newPrefixCode(c.lengths)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Section 3.2.1 of the specification has these words in its first example.
	words := []string{"00", "0100", "0101", "0110", "0111", "10", "110", "111"}
	code, err := newPrefixCode([]uint8{2, 4, 4, 4, 4, 2, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	book := &codebook{code: code}
	for entry, word := range words {
		b := byte(0)
		for i, bit := range word {
			b |= byte(bit-'0') << i
		}
		r := &bitReader{data: []byte{b}}
		if got := book.readCodeEntry(r); got != entry || r.n != 8-uint(len(word)) {
			t.Errorf("%s: entry %d and %d bits left", word, got, r.n)
		}
	}
	// Some words are longer than the ten bits of the fast table.
	var lengths []uint8
	for i := uint8(1); i <= 20; i++ {
		lengths = append(lengths, i)
	}
	code, err = newPrefixCode(append(lengths, 20))
	if err != nil {
		t.Fatal(err)
	}
	book = &codebook{code: code}
	for entry := range 21 {
		ones := uint64(1)<<min(entry, 20) - 1 // each word is a run of ones and a final zero, which only the last word lacks
		r := &bitReader{data: []byte{byte(ones), byte(ones >> 8), byte(ones >> 16), 0}}
		if got := book.readCodeEntry(r); got != entry {
			t.Errorf("%d ones: entry %d", entry, got)
		}
	}
}
