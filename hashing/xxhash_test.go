package hashing

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/spaolacci/murmur3"
	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/crcslice8"
	own "github.com/assetcook/assetcook/internal/murmur3"
)

// plainXXH32 computes XXH32 step by step, as in section "XXH32 Algorithm Description" of the
// specification. Other tests compare with it.
func plainXXH32(b []byte, seed uint32) uint32 {
	const p1, p2, p3, p4, p5 uint32 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	var acc uint32
	rest := b
	if len(b) < 16 {
		acc = seed + p5
	} else {
		lane := [4]uint32{seed, seed, seed, seed}
		lane[0] += p1
		lane[0] += p2
		lane[1] += p2
		lane[3] -= p1
		for len(rest) >= 16 {
			for i := range lane {
				lane[i] += binary.LittleEndian.Uint32(rest[4*i:]) * p2
				lane[i] = bits.RotateLeft32(lane[i], 13)
				lane[i] *= p1
			}
			rest = rest[16:]
		}
		for i, k := range []int{1, 7, 12, 18} {
			acc += bits.RotateLeft32(lane[i], k)
		}
	}
	acc += uint32(len(b))
	for len(rest) >= 4 {
		acc += binary.LittleEndian.Uint32(rest) * p3
		acc = bits.RotateLeft32(acc, 17) * p4
		rest = rest[4:]
	}
	for len(rest) >= 1 {
		acc += uint32(rest[0]) * p5
		acc = bits.RotateLeft32(acc, 11) * p1
		rest = rest[1:]
	}
	acc ^= acc >> 15
	acc *= p2
	acc ^= acc >> 13
	acc *= p3
	acc ^= acc >> 16
	return acc
}

// verification computes SMHasher's verification value: the hash of the hashes of 0, 01, 0102 ...
// with the seeds 256 down to 1. It covers every length up to 255.
func verification(sum func(dst, b []byte, seed uint32) []byte) uint32 {
	var key [256]byte
	var all []byte
	for i := range key {
		key[i] = byte(i)
		all = sum(all, key[:i], uint32(256-i))
	}
	return binary.LittleEndian.Uint32(sum(nil, all, 0))
}

// TestOraclesMatchSMHasher compares plainXXH32 and both MurmurHash3 functions, with seeds, with
// SMHasher's values.
func TestOraclesMatchSMHasher(t *testing.T) {
	for _, c := range []struct {
		name string
		want uint32
		sum  func(dst, b []byte, seed uint32) []byte
	}{
		{"plain xxh32", 0xba88b743, func(dst, b []byte, seed uint32) []byte {
			return binary.LittleEndian.AppendUint32(dst, plainXXH32(b, seed))
		}},
		{"xxh32", 0xba88b743, func(dst, b []byte, seed uint32) []byte {
			return binary.LittleEndian.AppendUint32(dst, xxh32Sum(b, seed))
		}},
		{"murmur3-32", 0xb0f57ee3, func(dst, b []byte, seed uint32) []byte {
			return binary.LittleEndian.AppendUint32(dst, own.Sum32(b, seed))
		}},
		{"murmur3-128", 0x6384ba69, func(dst, b []byte, seed uint32) []byte {
			hi, lo := own.Sum128(b, seed)
			dst = binary.LittleEndian.AppendUint64(dst, hi)
			return binary.LittleEndian.AppendUint64(dst, lo)
		}},
	} {
		if got := verification(c.sum); got != c.want {
			t.Errorf("%s: verification value %08x, want %08x", c.name, got, c.want)
		}
	}
}

// FuzzOurs compares this package's own hashes with other implementations, with seeds, for inputs in
// one and in two parts.
func FuzzOurs(f *testing.F) {
	f.Add([]byte("123456789"), uint32(0), uint16(4))
	f.Add(counting(100), uint32(0x9e3779b1), uint16(33))
	f.Fuzz(func(t *testing.T, b []byte, seed uint32, at uint16) {
		cut := int(at) % (len(b) + 1)
		// The library requires aligned words, so it gets a copy. Its one-shot form of
		// MurmurHash3_x86_32 computes pointers beyond the input, but its streaming form does not.
		aligned := bytes.Clone(b)
		for name, want := range map[string][]byte{
			"xxh32":       plain32(plainXXH32(b, seed)),
			"murmur3-32":  written(murmur3.New32WithSeed(seed), aligned),
			"murmur3-128": written(murmur3.New128WithSeed(seed), aligned),
		} {
			var one []byte
			switch name {
			case "xxh32":
				one = plain32(xxh32Sum(b, seed))
			case "murmur3-32":
				one = plain32(own.Sum32(b, seed))
			default:
				one = murmurBytes(b, seed)
			}
			if !bytes.Equal(one, want) {
				t.Errorf("%s of %x, seed %x: %x, want %x", name, b, seed, one, want)
			}
			fn, _ := Lookup(name)
			h, err := fn.NewSeeded(uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			h.Write(b[:cut])
			h.Write(b[cut:])
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s of %x, seed %x, cut at %d: %x, want %x", name, b, seed, cut, got, want)
			}
		}
	})
}

// TestDamagedStateIsRefused expects errors for saved states with seeds or words of more than 32
// bits, or with nonzero padding.
func TestDamagedStateIsRefused(t *testing.T) {
	type saver interface {
		encoding.BinaryMarshaler
		encoding.BinaryUnmarshaler
	}
	for name, wide := range map[string]int{"xxh32": 5, "murmur3-32": 2, "murmur3-128": 1} {
		h := function(t, name).New()
		h.Write([]byte("12345")) // one byte more than a block of 4
		good, err := h.(saver).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		damaged := []int{len(good) - 1}
		for i := range wide {
			damaged = append(damaged, 4+8*i) // the top byte of each word after the magic
		}
		for _, i := range damaged {
			bad := append([]byte(nil), good...)
			bad[i]++
			before := sumOfStream(h)
			if err := h.(saver).UnmarshalBinary(bad); err == nil || sumOfStream(h) != before {
				t.Errorf("%s with byte %d of %d changed: %v, and %v of %v", name, i, len(good), err, sumOfStream(h), before)
			}
		}
	}
}

// TestShortSumsEqualTheLibraries tests short inputs, and inputs slightly longer than the limit for
// short inputs.
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
