package murmur3

import (
	"encoding/binary"
	"testing"

	"github.com/spaolacci/murmur3"
)

// TestSumsAgreeWithTheLibrary compares every length up to several blocks, at every alignment, with
// the library's streaming functions. The library's one-shot function of 32 bits computes pointers
// beyond the input.
func TestSumsAgreeWithTheLibrary(t *testing.T) {
	var data [150]byte
	for i := range data {
		data[i] = byte(i*i>>2 + 7*i)
	}
	for n := range 100 {
		for at := range 8 {
			b, seed := data[at:at+n], uint32(n*at)*0x9e3779b1
			aligned := append([]byte(nil), b...)
			h32, h128 := murmur3.New32WithSeed(seed), murmur3.New128WithSeed(seed)
			h32.Write(aligned)
			h128.Write(aligned)
			if got, want := Sum32(b, seed), h32.Sum32(); got != want {
				t.Errorf("Sum32 of %d bytes at %d: %08x, want %08x", n, at, got, want)
			}
			if got, want := String32(string(b), seed), h32.Sum32(); got != want {
				t.Errorf("String32 of %d bytes at %d: %08x, want %08x", n, at, got, want)
			}
			wantHi, wantLo := h128.Sum128()
			if hi, lo := Sum128(b, seed); hi != wantHi || lo != wantLo {
				t.Errorf("Sum128 of %d bytes at %d: %016x%016x, want %016x%016x", n, at, hi, lo, wantHi, wantLo)
			}
		}
	}
}

// TestVerificationValues computes the values that identify each function in SMHasher. Such a value
// is the hash of many hashes.
func TestVerificationValues(t *testing.T) {
	verify := func(sum func(dst, b []byte, seed uint32) []byte) uint32 {
		var key [256]byte
		var sums []byte
		for i := range key {
			key[i] = byte(i)
			sums = sum(sums, key[:i], uint32(256-i))
		}
		return binary.LittleEndian.Uint32(sum(nil, sums, 0))
	}
	if got := verify(func(dst, b []byte, seed uint32) []byte {
		return binary.LittleEndian.AppendUint32(dst, Sum32(b, seed))
	}); got != 0xb0f57ee3 {
		t.Errorf("MurmurHash3_x86_32: %08x, want b0f57ee3", got)
	}
	if got := verify(func(dst, b []byte, seed uint32) []byte {
		hi, lo := Sum128(b, seed)
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, hi), lo)
	}); got != 0x6384ba69 {
		t.Errorf("MurmurHash3_x64_128: %08x, want 6384ba69", got)
	}
}
