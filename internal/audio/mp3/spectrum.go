package mp3

import (
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// powers returns x^(4/3) for all possible values of a line: 0 to 8206, which is 15 plus the largest
// 13-bit integer.
var powers = sync.OnceValue(func() *[8207]float64 {
	p := new([8207]float64)
	for i := 1; i < len(p); i++ {
		p[i] = detmath.Exp(float64(detmath.Log(float64(i)) * 4 / 3))
	}
	return p
})

// readSpectrum reads the lines of a granule, whose bits end at the given offset, and scales them
// (2.4.3.4.7).
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
		lines[n], lines[n+1] = t.readPair(r)
	}
	for quads := &all[g.quadTable]; n <= 572 && r.at < end; n += 4 {
		v := quads.readValue(r)
		for k := range 4 {
			if v>>(3-k)&1 != 0 {
				if lines[n+k] = 1; r.readBit() {
					lines[n+k] = -1
				}
			}
		}
		if r.at > end { // the last quadruple extends beyond the granule
			lines[n], lines[n+1], lines[n+2], lines[n+3] = 0, 0, 0, 0
		}
	}
	g.scaleLines(&lines)
}

// quarter returns 2^(k/4).
var quarter = sync.OnceValue(func() (q [4]float64) {
	for k := range q {
		q[k] = detmath.Exp(math.Ln2 * float64(k) / 4)
	}
	return q
})

// scaleLines converts quantized lines to a spectrum.
func (g *granule) scaleLines(lines *[576]int) {
	p, q := powers(), quarter()
	for i, b := range g.bands {
		e := g.gain - 210 // exponent in quarters of a power of two
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

// sortShortLines sorts the lines of short blocks by frequency, with the windows interleaved.
func (g *granule) sortShortLines() {
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

// joint returns the joint stereo modes that a frame uses.
func (h header) joint() int {
	if h>>6&3 != 1 {
		return 0
	}
	return int(h >> 4 & 3)
}

func (h header) intensity() bool   { return h.joint()&1 != 0 }
func (h header) usesMidSide() bool { return h.joint()&2 != 0 }

// separateStereo computes left and right from two channels that are encoded together (2.4.3.4.9).
func separateStereo(h header, left, right *granule) {
	if h.joint() == 0 {
		return
	}
	if !h.intensity() {
		middleSide(left, right, 0, 576)
		return
	}
	// Above the right channel's last nonzero line, both channels share one spectrum, and the right
	// channel's scale factors are stereo positions. The highest bands have no factor. They use the
	// factor of the next lower band or, if that is not a position, have equal power on both sides.
	var ended [3]bool
	below := 1
	if right.block == shortBlock {
		below = 3
	}
	for i := len(right.bands) - 1; i >= 0; i-- {
		b := right.bands[i]
		w := max(b.window, 0)
		over := ended[w]
		if b.window < 0 && right.mixed {
			over = ended[0] || ended[1] || ended[2]
		}
		over = over || !right.isSilentBand(i)
		ended[w] = over
		l, r, coded := 0.0, 0.0, true
		switch top := i >= len(right.bands)-below; {
		case top && right.isSilentBand(i-below):
			l, r, coded = stereoShares(h, right, i-below)
		case top:
			l, r = middleShares(h)
		default:
			l, r, coded = stereoShares(h, right, i)
		}
		switch {
		case !over && coded:
			for k := b.start; k < b.end; k++ {
				v := left.spectrum[k]
				left.spectrum[k], right.spectrum[k] = v*l, v*r
			}
		case h.usesMidSide():
			middleSide(left, right, b.start, b.end)
		}
	}
}

// isSilentBand reports whether all lines of a band are zero.
func (g *granule) isSilentBand(i int) bool {
	b := g.bands[i]
	for _, v := range g.spectrum[b.start:b.end] {
		if v != 0 {
			return false
		}
	}
	return true
}

// middleShares returns the gains of the left and the right channel for a position in the middle.
func middleShares(h header) (left, right float64) {
	if h.versionCode() == 3 {
		return 0.5, 0.5
	}
	return 1, 1
}

// stereoShares returns the gains of left and right for a band, based on its factor in the right
// channel. coded is false if the factor means that the band is not intensity-coded.
func stereoShares(h header, right *granule, i int) (left, right2 float64, coded bool) {
	p := right.factors[i]
	if h.versionCode() == 3 {
		if p >= 7 {
			return 0, 0, false
		}
		// The ratio of the gains is tan(p pi/12).
		s, c := detmath.SinPi(float64(p)/12), detmath.CosPi(float64(p)/12)
		return s / (s + c), c / (s + c), true
	}
	if w := right.widths[i]; w > 0 && p == 1<<w-1 {
		return 0, 0, false
	}
	half := 4.0 // number of position steps that halve the gain
	if right.compress&1 != 0 {
		half = 2
	}
	less := detmath.Exp(-math.Ln2 * float64((p+1)/2) / half)
	if p%2 == 1 {
		return less, 1, true
	}
	return 1, less, true
}

func middleSide(left, right *granule, from, until int) {
	for k := from; k < until; k++ {
		m, s := left.spectrum[k], right.spectrum[k]
		left.spectrum[k], right.spectrum[k] = (m+s)*(math.Sqrt2/2), (m-s)*(math.Sqrt2/2)
	}
}
