package mp3

import (
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// butterflies are the coefficients of the alias reduction between adjacent subbands, from table
// B.9.
var butterflies = sync.OnceValue(func() (b [8]struct{ s, a float64 }) {
	for i, c := range [8]float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
		root := math.Sqrt(1 + float64(c*c))
		b[i].s, b[i].a = 1/root, c/root
	}
	return b
})

// reduceAliases reduces aliases between the subbands of long blocks (2.4.3.4.10.1).
func (g *granule) reduceAliases() {
	last := 32
	if g.block == shortBlock {
		if !g.mixed {
			return
		}
		last = 2
	}
	b := butterflies()
	for sub := 18; sub < 18*last; sub += 18 {
		for i := range b {
			up, down := g.spectrum[sub-1-i], g.spectrum[sub+i]
			g.spectrum[sub-1-i] = float64(up*b[i].s) - float64(down*b[i].a)
			g.spectrum[sub+i] = float64(down*b[i].s) + float64(up*b[i].a)
		}
	}
}

// transforms are the inverse MDCTs of long blocks, with the window of each block type, and of short
// blocks (2.4.3.4.10.2).
type transforms struct {
	long  [4][36][18]float64
	short [12][6]float64
}

var mdct = sync.OnceValue(func() *transforms {
	t := new(transforms)
	for i := range 36 {
		rise := detmath.SinPi((float64(i) + 0.5) / 36)
		edge := detmath.SinPi((float64(i%12) + 0.5) / 12)
		window := [4]float64{rise, rise, 0, rise}
		switch { // windows have a short slope on the side of short blocks
		case i >= 30:
			window[1] = 0
		case i >= 24:
			window[1] = detmath.SinPi((float64(i-18) + 0.5) / 12)
		case i >= 18:
			window[1] = 1
		case i >= 12:
			window[3] = 1
		case i >= 6:
			window[3] = detmath.SinPi((float64(i-6) + 0.5) / 12)
		default:
			window[3] = 0
		}
		for k := range 18 {
			c := detmath.CosPi(float64((2*i+19)*(2*k+1)) / 72)
			for block, w := range window {
				t.long[block][i][k] = w * c
			}
		}
		if i < 12 {
			for k := range 6 {
				t.short[i][k] = edge * detmath.CosPi(float64((2*i+7)*(2*k+1))/24)
			}
		}
	}
	return t
})

// A hybrid is the synthesis filter bank of one channel, with its state between granules.
type hybrid struct {
	overlap [32][18]float64
	synth   synthesis
}

// transformGranule converts a spectrum to 576 samples.
func (f *hybrid) transformGranule(g *granule, to []float64) {
	t := mdct()
	var lines [18][32]float64 // indexed by time and subband
	for sub := range 32 {
		x := g.spectrum[18*sub:][:18]
		var y [36]float64
		switch {
		case g.block == shortBlock && !(g.mixed && sub < 2):
			for w := range 3 {
				for i := range t.short {
					sum := 0.0
					for k, c := range t.short[i] {
						sum += float64(c * x[w+3*k])
					}
					y[6+6*w+i] += sum
				}
			}
		default:
			block := g.block
			if g.mixed && sub < 2 {
				block = 0
			}
			matrix := &t.long[block]
			for i := range matrix {
				sum := 0.0
				for k, c := range matrix[i] {
					sum += float64(c * x[k])
				}
				y[i] = sum
			}
		}
		for i := range 18 {
			v := y[i] + f.overlap[sub][i]
			if sub&i&1 != 0 { // odd samples of odd subbands change their sign
				v = -v
			}
			lines[i][sub] = v
			f.overlap[sub][i] = y[18+i]
		}
	}
	for i := range lines {
		f.synth.synthesizeLine(&lines[i], to[32*i:][:32])
	}
}

// A synthesis combines 32 subbands to samples (2.4.3.2.2). It keeps the last sixteen vectors of 64
// values each.
type synthesis struct {
	vectors [16][64]float64
	newest  int
}

// cosines are the rows of the synthesis matrix that are not mirror images of other rows: 0 to 15,
// and 48 to 63.
var cosines = sync.OnceValue(func() *[32][32]float64 {
	m := new([32][32]float64)
	for i := range m {
		row := i
		if i >= 16 {
			row = i + 32
		}
		for k := range 32 {
			m[i][k] = detmath.CosPi(float64((16+row)*(2*k+1)) / 64)
		}
	}
	return m
})

// fullWindow returns the window of table B.3.
var fullWindow = sync.OnceValue(func() *[512]float64 {
	w := new([512]float64)
	for i, v := range window {
		w[i] = float64(v) / (1 << 16)
		if i > 0 && i < 256 {
			w[512-i] = -w[i]
			if i%64 == 0 {
				w[512-i] = w[i]
			}
		}
	}
	return w
})

// synthesizeLine computes 32 samples from one sample of each subband.
func (s *synthesis) synthesizeLine(lines *[32]float64, to []float64) {
	s.newest = (s.newest + 15) & 15
	v := &s.vectors[s.newest]
	for i, row := range cosines() {
		sum := 0.0
		for k, c := range row {
			sum += float64(c * lines[k])
		}
		switch {
		case i < 16:
			v[i], v[32-i] = sum, -sum
		case i == 16: // row 48 equals its own mirror image
			v[48] = sum
		default:
			v[32+i], v[64-i] = sum, sum
		}
	}
	v[16] = 0
	d := fullWindow()
	for j := range to {
		sum := 0.0
		for i := range 8 {
			sum += float64(d[64*i+j] * s.vectors[(s.newest+2*i)&15][j])
			sum += float64(d[64*i+32+j] * s.vectors[(s.newest+2*i+1)&15][32+j])
		}
		to[j] = sum
	}
}
