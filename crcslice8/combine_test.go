package crcslice8

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// anyModel picks a model from the catalogue, or generates a random model.
func anyModel() *rapid.Generator[Model] {
	return rapid.OneOf(rapid.SampledFrom(allModels()), rapid.Custom(func(t *rapid.T) Model {
		return model32("", rapid.Uint32().Draw(t, "poly"), rapid.Uint32().Draw(t, "init"),
			rapid.Bool().Draw(t, "reflected"), rapid.Uint32().Draw(t, "xorout"))
	}))
}

func TestCombineIsConcatenation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		crc := New(anyModel().Draw(t, "model"))
		a := rapid.SliceOfN(rapid.Byte(), 0, 1000).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Byte(), 0, 1000).Draw(t, "b")
		want := crc.Checksum(append(a[:len(a):len(a)], b...))
		if got := crc.Combine(crc.Checksum(a), crc.Checksum(b), int64(len(b))); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
		if got := crc.Combiner(int64(len(b)))(crc.Checksum(a), crc.Checksum(b)); got != want {
			t.Fatalf("Combiner: %08x, want %08x", got, want)
		}
		if got := crc.Update(crc.Checksum(a), b); got != want {
			t.Fatalf("Update: %08x, want %08x", got, want)
		}
	})
}

// TestCombineLengths appends up to 2^63-1 zero bytes. defineZeros computes the expected checksum.
func TestCombineLengths(t *testing.T) {
	lengths := []int64{0, 1, 2, 255, 256, 257, 65_535, 65_536, 1 << 31, 1 << 32, 1<<32 - 1, 1 << 40, 1<<40 + 1, 0x0102030405060708, math.MaxInt64}
	for _, m := range allModels() {
		crc := New(m)
		crcA := crc.Checksum([]byte("123456789"))
		for _, n := range lengths {
			zeros := defineZeros(m, crc.Empty(), uint64(n))
			want := defineZeros(m, crcA, uint64(n))
			if got := crc.Combine(crcA, zeros, n); got != want {
				t.Errorf("%s, %d bytes: %08x, want %08x", m.Name, n, got, want)
			}
			if got := crc.Combiner(n)(crcA, zeros); got != want {
				t.Errorf("%s, Combiner of %d bytes: %08x, want %08x", m.Name, n, got, want)
			}
		}
	}
}

func TestCombineIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		crc := New(anyModel().Draw(t, "model"))
		a, b, c := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b"), rapid.Uint32().Draw(t, "c")
		lenB := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "lenB")
		lenC := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "lenC")
		left := crc.Combine(crc.Combine(a, b, lenB), c, lenC)
		right := crc.Combine(a, crc.Combine(b, c, lenC), lenB+lenC)
		if left != right {
			t.Fatalf("(ab)c %08x, a(bc) %08x", left, right)
		}
	})
}

func TestProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		crc := New(m)
		a, b := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b")
		if got, want := crc.multiplyStates(normal(m, a), normal(m, b)), normal(m, defineTimes(a, b, uint32(m.Poly))); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
	})
}

// normal converts a polynomial between normal form and a state, in both directions.
func normal(m Model, a uint32) uint32 {
	var table Table
	table.model.RefIn = m.RefIn
	var s uint32
	for i := range 32 {
		s |= a >> i & 1 * table.powerOfXBelow(i)
	}
	return s
}

func TestCombineNegativeLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	IEEE().Combine(1, 2, -1)
}

func FuzzCombine(f *testing.F) {
	for _, m := range allModels() {
		f.Add(uint32(m.Poly), uint32(m.Init), m.RefIn, uint32(m.XorOut), []byte("123456789"), uint(4))
		f.Add(uint32(m.Poly), uint32(m.Init), m.RefIn, uint32(m.XorOut), randomBytes(1000), uint(3))
	}
	f.Fuzz(func(t *testing.T, poly, init uint32, reflected bool, xorOut uint32, p []byte, at uint) {
		m := model32("", poly, init, reflected, xorOut)
		crc := New(m)
		a := p[:at%uint(len(p)+1)]
		b := p[len(a):]
		if got, want := crc.Combine(define(m, a), define(m, b), int64(len(b))), define(m, p); got != want {
			t.Errorf("%d and %d bytes: %08x, want %08x", len(a), len(b), got, want)
		}
	})
}

// zlibPowers and zlibCombine implement the method of zlib 1.2.12 and later, for comparison. A table
// has x^(2^k), and each one bit of the length takes one product, computed bit by bit.
type zlibPowers [64]uint32

func newZlibPowers() *zlibPowers {
	var powers zlibPowers
	powers[0] = 1 << 30 // the polynomial x
	for k := range powers[1:] {
		powers[k+1] = zlibTimes(powers[k], powers[k])
	}
	return &powers
}

func zlibTimes(a, b uint32) uint32 {
	const reversed = 0xedb88320
	product := uint32(0)
	for bit := uint32(1 << 31); ; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
			if a&(bit-1) == 0 {
				return product
			}
		}
		if bit == 0 {
			return product
		}
		if b&1 != 0 {
			b = b>>1 ^ reversed
		} else {
			b >>= 1
		}
	}
}

func (z *zlibPowers) combine(crcA, crcB uint32, lenB int64) uint32 {
	power := uint32(1 << 31)
	for k := 3; lenB != 0; k++ {
		if lenB&1 != 0 {
			power = zlibTimes(z[k], power)
		}
		lenB >>= 1
	}
	return zlibTimes(power, crcA) ^ crcB
}

func BenchmarkCombine(b *testing.B) {
	zlib := newZlibPowers()
	for _, n := range []int64{100, 4096, 65_535, 1_000_000, 123_456_789, 1<<40 + 123_456_789} {
		if got, want := zlib.combine(1, 2, n), IEEE().Combine(1, 2, n); got != want {
			b.Fatalf("zlib's method gives %08x, ours %08x", got, want)
		}
		b.Run(fmt.Sprintf("ours/%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = IEEE().Combine(sink, 2, n)
			}
		})
		b.Run(fmt.Sprintf("zlib/%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = zlib.combine(sink, 2, n)
			}
		})
		combine := IEEE().Combiner(n)
		b.Run(fmt.Sprintf("combiner/%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = combine(sink, 2)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(mustModel("CRC-32/ISO-HDLC"))
	}
}

func BenchmarkSearch(b *testing.B) {
	for b.Loop() {
		searchMultiple(0xdeadbeef)
	}
}

// TestCarryless compares the processor's and the portable carry-less product with a product that is
// computed bit by bit.
func TestCarryless(t *testing.T) {
	for range 1000 {
		a, b := rand.Uint64()>>rand.N(64), rand.Uint64()>>rand.N(64)
		var wantHi, wantLo uint64
		for i := range 64 {
			if a>>i&1 == 1 {
				wantHi ^= b >> 1 >> (63 - i)
				wantLo ^= b << i
			}
		}
		if hi, lo := carryless(a, b); hi != wantHi || lo != wantLo {
			t.Fatalf("%x times %x: %x %x, want %x %x", a, b, hi, lo, wantHi, wantLo)
		}
		if hi, lo := portableCarryless(a, b); hi != wantHi || lo != wantLo {
			t.Fatalf("%x times %x, portable: %x %x, want %x %x", a, b, hi, lo, wantHi, wantLo)
		}
	}
}
