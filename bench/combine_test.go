package bench

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
)

// x2n combines CRC-32s of IEEE's polynomial by zlib's method since version 1.2.12. A table holds
// x^(2^k), and x^(8n) is the product of the powers for the set bits of n. A multiplication takes
// one step for each bit of a factor. zlib has a constant table; here the program computes the table
// when it starts.
//
// CRC states are reflected: the highest bit is the coefficient of x^0.
type x2n [32]uint32

func newX2N() *x2n {
	var t x2n
	t[0] = 1 << 30 // state that represents the polynomial x
	for k := 1; k < len(t); k++ {
		t[k] = multiply(t[k-1], t[k-1])
	}
	return &t
}

// multiply returns the product of a and b. The factor a must not be 0.
func multiply(a, b uint32) (product uint32) {
	for term := uint32(1 << 31); ; term >>= 1 {
		if a&term != 0 {
			product ^= b
			if a&(term-1) == 0 {
				return product
			}
		}
		carry := b & 1
		b >>= 1
		if carry != 0 {
			b ^= crc32.IEEE
		}
	}
}

// power returns x^(8n). The powers x^(2^k) repeat after k = 31, because IEEE's polynomial is
// primitive.
func (t *x2n) power(n int64) uint32 {
	power := uint32(1 << 31)
	for k := 3; n != 0; n, k = n>>1, k+1 {
		if n&1 != 0 {
			power = multiply(t[k&31], power)
		}
	}
	return power
}

func (t *x2n) combine(crcA, crcB uint32, lenB int64) uint32 {
	return multiply(t.power(lenB), crcA) ^ crcB
}

// lengths are the sizes of the appended data. They range from one byte to a terabyte.
var lengths = []int64{1, 4 << 10, 1_000_003, 1 << 20, 1 << 30, 1<<40 + 12345}

// BenchmarkCombine measures combining two CRCs. In crcslice8 and x2n the length differs each time;
// crcslice8-shift and x2n-shift use one prepared operator.
func BenchmarkCombine(b *testing.B) {
	table, zlib := crcslice8.IEEE(), newX2N()
	for _, n := range lengths {
		combine, power := table.Combiner(n), zlib.power(n)
		for _, impl := range []struct {
			name string
			run  func(a uint32) uint32
		}{
			{"crcslice8", func(a uint32) uint32 { return table.Combine(a, 0x12345678, n) }},
			{"zlib-x2n", func(a uint32) uint32 { return zlib.combine(a, 0x12345678, n) }},
			{"crcslice8-shift", func(a uint32) uint32 { return combine(a, 0x12345678) }},
			{"zlib-x2n-shift", func(a uint32) uint32 { return multiply(power, a) ^ 0x12345678 }},
		} {
			b.Run(fmt.Sprintf("len=%d/impl=%s", n, impl.name), func(b *testing.B) {
				crc := uint32(0x9abcdef0)
				for b.Loop() {
					crc = impl.run(crc)
				}
				keep = crc
			})
		}
	}
}

func TestX2N(t *testing.T) {
	p, zlib := Bytes(10_000), newX2N()
	for _, split := range []int{0, 1, 7, 4096, 9_999, 10_000} {
		a, b := crc32.ChecksumIEEE(p[:split]), crc32.ChecksumIEEE(p[split:])
		if got, want := zlib.combine(a, b, int64(len(p)-split)), crc32.ChecksumIEEE(p); got != want {
			t.Errorf("split at %d: %08x, want %08x", split, got, want)
		}
	}
	for _, n := range lengths {
		got, want := zlib.combine(1, 2, n), crcslice8.IEEE().Combine(1, 2, n)
		if prepared := crcslice8.IEEE().Combiner(n)(1, 2); got != want || prepared != want {
			t.Errorf("%d bytes: x2n %08x, Combiner %08x, Combine %08x", n, got, prepared, want)
		}
	}
}
