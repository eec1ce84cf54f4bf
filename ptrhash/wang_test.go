package ptrhash

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestWangKnownAnswers compares the functions with results of the published C functions, compiled
// with gcc.
func TestWangKnownAnswers(t *testing.T) {
	for _, tt := range []struct{ key, mult, shift, seed uint32 }{
		{0, 0xc0a9496a, 0xcaa3caa3, 0x4636b9c9},
		{1, 0x27922c9d, 0x12d60bf6, 0x62baf5a0},
		{0xdeadbeef, 0x572e7c2d, 0x92da7565, 0xcd42a50d},
		{0xffffffff, 0x70f499d3, 0xbd55fc18, 0xdc8b039a},
	} {
		if got := Wang32(tt.key); got != tt.mult {
			t.Errorf("Wang32(%#x) = %#x, want %#x", tt.key, got, tt.mult)
		}
		if got := wang32Shift(tt.key); got != tt.shift {
			t.Errorf("wang32Shift(%#x) = %#x, want %#x", tt.key, got, tt.shift)
		}
		if got := wang32Older(tt.key); got != tt.seed {
			t.Errorf("wang32Older(%#x) = %#x, want %#x", tt.key, got, tt.seed)
		}
	}
	for _, tt := range []struct {
		key, mixed uint64
		to32       uint32
	}{
		{0, 0x77cfa1eef01bca90, 0x2aeaa2ab},
		{1, 0x5bca7c69b794f8ce, 0x15515fbc},
		{0x7ffdeadbeef0, 0x184b1e7497efc962, 0x9616a183},
		{0xffffffffffffffff, 0x1f89206e3f8ec794, 0x1fbbf8ea},
	} {
		if got := Wang64(tt.key); got != tt.mixed {
			t.Errorf("Wang64(%#x) = %#x, want %#x", tt.key, got, tt.mixed)
		}
		if got := Wang64to32(tt.key); got != tt.to32 {
			t.Errorf("Wang64to32(%#x) = %#x, want %#x", tt.key, got, tt.to32)
		}
	}
}

// A step is one step of a mix, modulo 2^bits: key*mul + add, then key xor key>>shift. All of Wang's
// steps have this form, because key + key<<n is key*(2^n + 1), and key + ^(key<<n) is key*(1 - 2^n)
// - 1.
type step struct {
	mul, add int64
	shift    uint
}

var mixes = []struct {
	name  string
	bits  uint
	out   uint // number of bits in the result
	mix   func(uint64) uint64
	steps []step
}{
	{"Wang32", 32, 32, func(k uint64) uint64 { return uint64(Wang32(uint32(k))) },
		[]step{{1, 0, 16}, {9, 0, 4}, {0x27d4eb2d, 0, 15}}},
	{"Wang32Shift", 32, 32, func(k uint64) uint64 { return uint64(wang32Shift(uint32(k))) },
		[]step{{1<<15 - 1, -1, 12}, {5, 0, 4}, {2057, 0, 16}}},
	{"Wang32Older", 32, 32, func(k uint64) uint64 { return uint64(wang32Older(uint32(k))) },
		[]step{{1 - 1<<15, -1, 10}, {9, 0, 6}, {1 - 1<<11, -1, 16}}},
	{"Wang64", 64, 64, Wang64,
		[]step{{1<<21 - 1, -1, 24}, {265, 0, 14}, {21, 0, 28}, {1<<31 + 1, 0, 0}}},
	{"Wang64to32", 64, 32, func(k uint64) uint64 { return uint64(Wang64to32(k)) },
		[]step{{1<<18 - 1, -1, 31}, {21, 0, 11}, {65, 0, 22}}},
}

// forward and backward apply steps, or undo them, with big integers. The constant in after is XORed
// after the first step.
func forward(key uint64, bits uint, steps []step, after int64) uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), bits)
	x := new(big.Int).SetUint64(key)
	for i, s := range steps {
		x.Mul(x, big.NewInt(s.mul)).Add(x, big.NewInt(s.add)).Mod(x, mod)
		if s.shift != 0 {
			x.Xor(x, new(big.Int).Rsh(x, s.shift))
		}
		if i == 0 {
			x.Xor(x, big.NewInt(after))
		}
	}
	return x.Uint64()
}

func backward(mixed uint64, bits uint, steps []step, after int64) uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), bits)
	x := new(big.Int).SetUint64(mixed)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if i == 0 {
			x.Xor(x, big.NewInt(after))
		}
		if s.shift != 0 {
			// The inverse of y = x xor x>>s is y xor y>>s xor y>>2s ...
			y := new(big.Int).Set(x)
			for n := s.shift; n < bits; n += s.shift {
				x.Xor(x, new(big.Int).Rsh(y, n))
			}
		}
		inverse := new(big.Int).ModInverse(new(big.Int).Mod(big.NewInt(s.mul), mod), mod)
		x.Sub(x, big.NewInt(s.add)).Mul(x, inverse).Mod(x, mod)
	}
	return x.Uint64()
}

// xor61 returns the constant that only Wang32 XORs after its first step.
func xor61(name string) int64 {
	if name == "Wang32" {
		return 61
	}
	return 0
}

func TestWangIsItsSteps(t *testing.T) {
	for _, m := range mixes {
		t.Run(m.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				key := rapid.Uint64Max(1<<m.bits-1).Draw(t, "key")
				want := forward(key, m.bits, m.steps, xor61(m.name)) & (1<<m.out - 1)
				if got := m.mix(key); got != want {
					t.Fatalf("%s(%#x) = %#x, want %#x", m.name, key, got, want)
				}
			})
		})
	}
}

func TestWangIsABijection(t *testing.T) {
	for _, m := range mixes {
		if m.bits != m.out {
			continue // there are more keys than results
		}
		t.Run(m.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				key := rapid.Uint64Max(1<<m.bits-1).Draw(t, "key")
				if got := backward(m.mix(key), m.bits, m.steps, xor61(m.name)); got != key {
					t.Fatalf("the inverse of %s(%#x) is %#x", m.name, key, got)
				}
				if got := m.mix(backward(key, m.bits, m.steps, xor61(m.name))); got != key {
					t.Fatalf("%s of the inverse of %#x is %#x", m.name, key, got)
				}
			})
		})
	}
}

// wang32Shift is Thomas Wang's hash32shift of version 3.1. It uses shifts for processors with slow
// multiplication. Its one multiplication by 2057 equals two shifts and additions. It is a
// bijection.
func wang32Shift(key uint32) uint32 {
	key = ^key + key<<15
	key ^= key >> 12
	key += key << 2
	key ^= key >> 4
	key *= 2057
	key ^= key >> 16
	return key
}

// wang32Older is Wang's 32-bit mix before version 3, as quoted by Bob Jenkins
// (burtleburtle.net/bob/hash/integer.html). It has six shifts and no multiplication. Use the low
// bits of the result. It is a bijection.
func wang32Older(key uint32) uint32 {
	key += ^(key << 15)
	key ^= key >> 10
	key += key << 3
	key ^= key >> 6
	key += ^(key << 11)
	key ^= key >> 16
	return key
}
