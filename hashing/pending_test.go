package hashing

import (
	"encoding"
	"testing"
)

// TestDamagedState changes saved states to such that no hash ever has: seeds and
// words beyond 32 bits, bytes behind the tail.
func TestDamagedState(t *testing.T) {
	type saver interface {
		encoding.BinaryMarshaler
		encoding.BinaryUnmarshaler
	}
	for name, wide := range map[string]int{"xxh32": 5, "murmur3-32": 2, "murmur3-128": 1} {
		h := function(t, name).New()
		h.Write([]byte("12345")) // one byte beyond a block of 4
		good, err := h.(saver).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		damaged := []int{len(good) - 1}
		for i := range wide {
			damaged = append(damaged, 4+8*i) // behind the magic: the top byte of a word
		}
		for _, i := range damaged {
			bad := append([]byte(nil), good...)
			bad[i]++
			before := streamed(h)
			if err := h.(saver).UnmarshalBinary(bad); err == nil || streamed(h) != before {
				t.Errorf("%s with byte %d of %d changed: %v, and %v of %v", name, i, len(good), err, streamed(h), before)
			}
		}
	}
}
