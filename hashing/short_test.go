package hashing

import (
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/crcslice8"
	own "github.com/assetcook/assetcook/internal/murmur3"
	"github.com/spaolacci/murmur3"
)

// Sums of inputs up to and beyond the longest short one equal the libraries' sums.
func TestShortSumsEqualTheLibraries(t *testing.T) {
	random := rand.NewChaCha8([32]byte{5})
	for range 2000 {
		var buffer [80]byte
		random.Read(buffer[:])
		for n := range buffer {
			b := buffer[:n:n]
			if got, want := xxh3Sum(b), xxh3.Hash(b); got != want {
				t.Fatalf("xxh3 of % x: %x, want %x", b, got, want)
			}
			if got, want := xxh128Sum(b), Sum128(xxh3.Hash128(b)); got != want {
				t.Fatalf("xxh128 of % x: %x, want %x", b, got, want)
			}
			if got, want := xxh64Sum(b), xxhash.Sum64(b); got != want {
				t.Fatalf("xxh64 of % x: %x, want %x", b, got, want)
			}
			hi, lo := own.Sum128(b, 7)
			if h1, h2 := murmur3.Sum128WithSeed(buffer[:n], 7); h1 != hi || h2 != lo {
				t.Fatalf("murmur3-128 of % x: %x %x, want %x %x", b, hi, lo, h1, h2)
			}
		}
	}
}

func TestNumbersAreTheSum(t *testing.T) {
	all := someBytes(200)
	for _, f := range append(registry[:len(registry):len(registry)], CRC32(crcslice8.Castagnoli())) {
		for n := range all {
			b := all[:n]
			if f.Size <= 16 && f.Sum128(b) != f.Sum(b).Sum128() {
				t.Errorf("%s of %d bytes: %x, the sum is %v", f.Name, n, f.Sum128(b), f.Sum(b))
			}
			if f.Size <= 8 && f.Sum64(b) != f.Sum128(b).Lo {
				t.Errorf("%s of %d bytes: %x, the sum is %v", f.Name, n, f.Sum64(b), f.Sum(b))
			}
		}
	}
}
