package texenc

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawBlock draws colors with few or many distinct values, which are similar or very different.
func drawBlock(t *rapid.T) *block {
	b := new(block)
	spread := rapid.SampledFrom([]int{0, 1, 5, 40, 255}).Draw(t, "spread")
	for k := range b {
		from := rapid.IntRange(0, 255-spread).Draw(t, "from")
		for i := range b[k] {
			b[k][i] = float32(from + rapid.IntRange(0, spread).Draw(t, "value"))
		}
	}
	return b
}

// bc1Colors returns the four colors of a block according to the specification, not rounded. In the
// three-color mode, the fourth color has alpha 0.
func bc1Colors(data []byte, four bool) (out [4][4]float64) {
	a, b := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
	wide := func(w uint16) [4]float64 {
		r, g, b := w>>11, w>>5&63, w&31
		return [4]float64{float64(r<<3 | r>>2), float64(g<<2 | g>>4), float64(b<<3 | b>>2), 255}
	}
	out[0], out[1] = wide(a), wide(b)
	for k := range 4 {
		x, y := out[0][k], out[1][k]
		if four || a > b {
			out[2][k], out[3][k] = (2*x+y)/3, (x+2*y)/3
		} else {
			out[2][k] = (x + y) / 2
		}
	}
	return out
}

func bc1Error(data []byte, b *block, four bool) (sum float64, clear uint32) {
	colors := bc1Colors(data, four)
	for i := range 16 {
		c := colors[binary.LittleEndian.Uint32(data[4:])>>(2*i)&3]
		if c[3] == 0 {
			clear |= 1 << i
			continue
		}
		for k := range 3 {
			d := c[k] - float64(b[k][i])
			sum += d * d
		}
	}
	return sum, clear
}

// TestBC1Qualities checks that a higher quality never has a larger error, and that no quality uses
// transparent black if pixels are opaque.
func TestBC1Qualities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlock(t)
		four := rapid.Bool().Draw(t, "four")
		last := math.Inf(1)
		for q := Fast; q <= Best; q++ {
			var data [8]byte
			c := b.opaqueColors(false)
			encodeBC1(&data, &c, four, q)
			err, clear := bc1Error(data[:], b, four)
			if clear != 0 {
				t.Fatalf("quality %d: places %016b are transparent", q, clear)
			}
			if err > last*1.0001+0.01 {
				t.Fatalf("quality %d: error %.2f, that of the quality below is %.2f", q, err, last)
			}
			last = err
		}
	})
}

// TestBC1PunchThrough checks that a pixel is transparent exactly if its alpha is below a half.
func TestBC1PunchThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlock(t)
		want := uint32(0)
		for i := range b[3] {
			if b[3][i] < 127.5 {
				want |= 1 << i
			}
		}
		for q := Fast; q <= Best; q++ {
			var data [8]byte
			c := b.opaqueColors(true)
			encodeBC1(&data, &c, false, q)
			if _, clear := bc1Error(data[:], b, false); clear != want {
				t.Fatalf("quality %d: places %016b are transparent, want %016b", q, clear, want)
			}
		}
	})
}

// TestBC1Solid checks that a block of one color has the smallest error possible with any two stored
// endpoints and any index.
func TestBC1Solid(t *testing.T) {
	// least[n][bits][v] is the smallest squared error for a channel value v. The encoded value is
	// 1/n of the way between two stored endpoints, which have the given number of bits.
	var least [4][7][256]float64
	for _, n := range []int{2, 3} {
		for _, bits := range []int{5, 6} {
			for v := range 256 {
				best := math.Inf(1)
				for a := range 1 << bits {
					for b := range 1 << bits {
						wide := func(x int) int { return x<<(8-bits) | x>>(2*bits-8) }
						d := float64((n-1)*wide(a)+wide(b))/float64(n) - float64(v)
						best = min(best, d*d)
					}
				}
				least[n][bits][v] = best
			}
		}
	}
	for v := range 256 {
		var b block
		for i := range 16 {
			b[0][i], b[1][i], b[2][i], b[3][i] = float32(v), float32(255-v), float32(v/2), 255
		}
		of := func(n int) float64 { return 16 * (least[n][5][v] + least[n][6][255-v] + least[n][5][v/2]) }
		for q := Fast; q <= Best; q++ {
			for _, four := range []bool{false, true} {
				want := of(3)
				if !four {
					want = min(want, of(2))
				}
				var data [8]byte
				c := b.opaqueColors(false)
				encodeBC1(&data, &c, four, q)
				if err, _ := bc1Error(data[:], &b, four); err > want+1e-3 {
					t.Errorf("value %d, quality %d: error %.2f, want %.2f", v, q, err, want)
				}
			}
		}
	}
}

// bc4Values returns the eight values of a block, not rounded.
func bc4Values(data []byte) (out [8]float64) {
	a, b := float64(data[0]), float64(data[1])
	out[0], out[1] = a, b
	if a > b {
		for k := 1; k < 7; k++ {
			out[k+1] = (float64(7-k)*a + float64(k)*b) / 7
		}
		return out
	}
	for k := 1; k < 5; k++ {
		out[k+1] = (float64(5-k)*a + float64(k)*b) / 5
	}
	out[6], out[7] = 0, 255
	return out
}

func bc4Error(data []byte, v *[16]float32) (sum float64) {
	values := bc4Values(data)
	var bits [8]byte
	copy(bits[:], data[2:8])
	for i, x := range v {
		d := values[binary.LittleEndian.Uint64(bits[:])>>(3*i)&7] - float64(x)
		sum += d * d
	}
	return sum
}

func TestBC4Qualities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawBlock(t)[0]
		if rapid.Bool().Draw(t, "mask") { // makes many values 0 or 255
			for i := range v {
				v[i] = []float32{0, 255, v[i]}[rapid.IntRange(0, 2).Draw(t, "which")]
			}
		}
		last := math.Inf(1)
		for q := Fast; q <= Best; q++ {
			var data [8]byte
			encodeBC4(&data, &v, q)
			err := bc4Error(data[:], &v)
			if err > last*1.0001+0.01 {
				t.Fatalf("quality %d: error %.2f, that of the quality below is %.2f", q, err, last)
			}
			last = err
		}
	})
}

// TestBC4Exact checks that blocks of two values are exact. Blocks of 0, 255 and one other value
// must be exact, too.
func TestBC4Exact(t *testing.T) {
	for a := range 256 {
		for _, b := range []int{0, 1, a, 128, 254, 255} {
			var v, mask [16]float32
			for i := range v {
				v[i] = float32([]int{a, b}[i%2])
				mask[i] = float32([]int{a, 0, 255, a}[i%4])
			}
			var data [8]byte
			for q := Fast; q <= Best; q++ {
				if encodeBC4(&data, &v, q); bc4Error(data[:], &v) != 0 {
					t.Errorf("values %d and %d, quality %d: error %.2f", a, b, q, bc4Error(data[:], &v))
				}
			}
			if encodeBC4(&data, &mask, Normal); bc4Error(data[:], &mask) != 0 {
				t.Errorf("%d, 0 and 255: error %.2f", a, bc4Error(data[:], &mask))
			}
		}
	}
}

// TestBC4KeepsSixteenBits encodes slow gradients of 16-bit values. Rounding them to bytes first
// would cause an error of a quarter of a byte on average.
func TestBC4KeepsSixteenBits(t *testing.T) {
	var v [16]float32
	for i := range v {
		v[i] = 100 + float32(i%8)/7
	}
	var data [8]byte
	encodeBC4(&data, &v, Normal)
	if err := bc4Error(data[:], &v); err > 1e-6 {
		t.Errorf("error %g", err)
	}
}
