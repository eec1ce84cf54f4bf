package mp3

import (
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// powers returns x^(4/3) for all values of a line: 15 and 13 bits.
var powers = sync.OnceValue(func() *[8207]float64 {
	p := new([8207]float64)
	for i := 1; i < len(p); i++ {
		p[i] = detmath.Exp(float64(detmath.Log(float64(i)) * 4 / 3))
	}
	return p
})

// readSpectrum reads the lines of a granule, up to the given bit, and scales them (2.4.3.4.7).
func (g *granule) readSpectrum(r *bitReader, rate, end int) {
	var lines [576]int
	first, second := g.regionEnds(rate)
	all := tables()
	n := 0
	for ; n < 2*g.bigValues && r.at < end; n += 2 {
		t := &all[g.tables[2]]
		switch {
		case n < first:
			t = &all[g.tables[0]]
		case n < second:
			t = &all[g.tables[1]]
		}
		lines[n], lines[n+1] = t.pair(r)
	}
	for quads := &all[g.quadTable]; n <= 572 && r.at < end; n += 4 {
		v := quads.value(r)
		for k := range 4 {
			if v>>(3-k)&1 != 0 {
				if lines[n+k] = 1; r.bit() {
					lines[n+k] = -1
				}
			}
		}
		if r.at > end { // the last quadruple is beyond the granule
			lines[n], lines[n+1], lines[n+2], lines[n+3] = 0, 0, 0, 0
		}
	}
	g.scale(&lines)
}

// quarter returns 2^(k/4).
var quarter = sync.OnceValue(func() (q [4]float64) {
	for k := range q {
		q[k] = detmath.Exp(math.Ln2 * float64(k) / 4)
	}
	return q
})

// scale turns whole numbers into a spectrum.
func (g *granule) scale(lines *[576]int) {
	p, q := powers(), quarter()
	for i, b := range g.bands {
		e := g.gain - 210 // in quarters of a power of two
		if b.window >= 0 {
			e -= 8 * g.subGain[b.window]
		}
		factor := g.factors[i]
		if g.preflag {
			factor += b.pre
		}
		if g.coarse {
			factor *= 2
		}
		e -= 2 * factor
		size := math.Ldexp(q[e&3], e>>2)
		for k := b.start; k < b.end; k++ {
			v := lines[k]
			if v == 0 {
				g.spectrum[k] = 0
				continue
			}
			if v < 0 {
				g.spectrum[k] = -p[-v] * size
			} else {
				g.spectrum[k] = p[v] * size
			}
		}
	}
}

// reorder sorts the lines of short blocks by frequency, with the windows interleaved.
func (g *granule) reorder() {
	var sorted [576]float64
	for i := 0; i < len(g.bands); i++ {
		b := g.bands[i]
		if b.window < 0 {
			copy(sorted[b.start:b.end], g.spectrum[b.start:b.end])
			continue
		}
		width := b.end - b.start
		base := b.start - b.window*width
		for k := range width {
			sorted[base+3*k+b.window] = g.spectrum[b.start+k]
		}
	}
	g.spectrum = sorted
}
