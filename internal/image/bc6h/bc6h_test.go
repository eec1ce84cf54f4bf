package bc6h

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"pgregory.net/rapid"
)

// numbers holds the numbers of all modes, followed by the four reserved numbers.
var numbers = []byte{0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31}

// TestPackUnpack unpacks random blocks in every mode and packs them again.
func TestPackUnpack(t *testing.T) {
	for i, number := range numbers {
		rapid.Check(t, func(t *rapid.T) {
			block := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "block"))
			if block[0] = block[0]&^31 | number; number < 2 {
				block[0] = block[0]&^3 | number
			}
			b, ok := Unpack(&block)
			if ok != (i < len(Modes())) {
				t.Fatalf("mode %d: %v", number, ok)
			}
			if !ok {
				return
			}
			if b.Mode != &Modes()[i] {
				t.Fatalf("mode %d is taken for %d", number, b.Mode.Number)
			}
			if got := b.Pack(); got != block {
				t.Fatalf("mode %d: %x, want %x", number, got, block)
			}
		})
	}
}

// TestFieldsFill checks that every bit of a block is in exactly one field.
func TestFieldsFill(t *testing.T) {
	for i := range Modes() {
		m := &Modes()[i]
		seen := map[[3]uint8]bool{}
		for _, f := range m.fields {
			f.eachBit(func(bit uint8) {
				if key := [3]uint8{f.end, f.channel, bit}; seen[key] {
					t.Errorf("mode %d: %v twice", m.Number, key)
				} else {
					seen[key] = true
				}
			})
		}
		indices := 16*4 - 1
		if m.Regions == 2 {
			indices = 16*3 - 2 + 5 // number of bits of the indices and the partition
		}
		if n := int(m.modeNumber()) + len(seen) + indices; n != 128 {
			t.Errorf("mode %d: %d bits", m.Number, n)
		}
	}
}

func TestFits(t *testing.T) {
	for _, tc := range []struct {
		number uint8
		ends   [4][3]int32
		want   bool
	}{
		{0, [4][3]int32{{100}, {115}, {84}, {100}}, true},
		{0, [4][3]int32{{100}, {116}, {100}, {100}}, false},
		{0, [4][3]int32{{100}, {100}, {83}, {100}}, false},
		{2, [4][3]int32{{0, 0, 2047}, {}, {}, {}}, false},
		{2, [4][3]int32{{15, 7, 7}, {}, {}, {}}, true},
		{6, [4][3]int32{{7, 15, 7}, {0, 30}, {}, {}}, true},
		{30, [4][3]int32{{0, 63}, {63}, {0, 0, 63}, {63}}, true},
		{30, [4][3]int32{{0, 64}, {63}, {}, {}}, false},
		{15, [4][3]int32{{60000}, {60007}}, true},
		{15, [4][3]int32{{60000}, {60008}}, false},
		{3, [4][3]int32{{0}, {-1}}, false},
	} {
		for i := range Modes() {
			b := Block{Mode: &Modes()[i], Ends: tc.ends}
			if b.Mode.Number != tc.number {
				continue
			}
			if got := b.Fits(); got != tc.want {
				t.Errorf("mode %d, %v: %v, want %v", tc.number, tc.ends, got, tc.want)
			}
			if again, ok := Unpack(pointer(b.Pack())); tc.want && (!ok || again.Ends != tc.ends) {
				t.Errorf("mode %d: %v come back as %v", tc.number, tc.ends, again.Ends)
			}
		}
	}
}

func pointer(block [16]byte) *[16]byte { return &block }

func FuzzUnpack(f *testing.F) {
	for _, number := range numbers {
		f.Add([]byte{number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 16 {
			return
		}
		block := [16]byte(data)
		b, ok := Unpack(&block)
		if !ok {
			return
		}
		for _, p := range b.Halves() {
			for _, h := range p {
				if h > 0x7bff {
					t.Fatalf("%x is not finite", h)
				}
			}
		}
	})
}

// TestValueOfIsHalfValue compares FiniteHalf with pixmap.HalfValue for every value that FiniteHalf
// accepts.
func TestValueOfIsHalfValue(t *testing.T) {
	for h := range uint16(0x7c00) {
		if got, want := blockfit.FiniteHalf(h), pixmap.HalfValue(h); got != want {
			t.Fatalf("valueOf(%#04x) = %v, want %v", h, got, want)
		}
	}
}
