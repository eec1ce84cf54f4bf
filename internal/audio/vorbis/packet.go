package vorbis

import (
	"math/bits"

	"github.com/assetcook/assetcook/internal/detmath"
)

// A decoder holds the content of the headers, and the state between packets.
type decoder struct {
	rate, channels int
	block          [2]int // samples per short and long block

	probing         bool // set if headers are checked and measured, but no tables are built
	books           []codebook
	entries, values int // number of entries, and of vector elements, in all codebooks; both are limited
	floors          []floor
	residues        []*residue
	mappings        []mapping
	modes           []mode

	transforms [2]*transform
	slopes     [2][]float64
	spectra    [][]float32
	curves     []curve
	flat       []bool // set for channels without a floor
	silent     []bool // set for channels that have neither floor nor residue
	left       []float64
	last       [][]float64 // second half of the last block, per channel
	some       [][]float32 // spectra of the channels that belong to one submap
	someSilent []bool
}

// startPackets builds the tables for decoding packets, after the headers were read.
func (d *decoder) startPackets() {
	for i, n := range d.block {
		d.transforms[i], d.slopes[i] = newTransform(n/2), windowSlope(n/2)
	}
	for range d.channels {
		d.spectra = append(d.spectra, make([]float32, d.block[1]/2))
		d.last = append(d.last, nil)
	}
	d.curves = make([]curve, d.channels)
	d.flat, d.silent = make([]bool, d.channels), make([]bool, d.channels)
	d.left = make([]float64, d.block[1]/2)
}

// decodeAudioPacket decodes an audio packet (section 4.3) and appends the samples, with the
// channels in stream order. The first packet adds no samples. The specification requires that
// packets of other types are ignored.
func (d *decoder) decodeAudioPacket(packet []byte, out []float32) []float32 {
	r := &bitReader{data: packet}
	if len(packet) == 0 || r.readFlag() {
		return out
	}
	number := int(r.bits(ilog(uint32(len(d.modes) - 1))))
	if number >= len(d.modes) {
		return out
	}
	m := d.modes[number]
	size, before, after := 0, 0, 0 // sizes of this block and of both neighbors: 0 is short, 1 is long
	if m.long {
		size = 1
		before, after = int(r.bits(1)), int(r.bits(1))
	}
	if r.short {
		return out
	}
	n := d.block[size] / 2
	d.readSpectra(r, &d.mappings[m.mapping], n)

	// The second half of the previous block overlaps the first half of this block so that their
	// centers align. Samples of the longer half beyond the overlap are not used.
	base, frames, shift := len(out), 0, 0
	if d.last[0] != nil {
		frames = (len(d.last[0]) + n) / 2
		shift = (len(d.last[0]) - n) / 2
		out = append(out, make([]float32, frames*d.channels)...)
	}
	for ch, spectrum := range d.spectra {
		last := d.last[ch]
		right := make([]float64, n)
		d.transforms[size].inverse(spectrum[:n], d.left[:n], right)
		d.windowHalves(d.left[:n], right, before, after)
		for i := range frames {
			v := 0.0
			if i < len(last) {
				v = last[i]
			}
			if j := i - shift; j >= 0 {
				v += d.left[j]
			}
			out[base+i*d.channels+ch] = float32(v)
		}
		d.last[ch] = right
	}
	return out
}

// windowHalves multiplies the halves of a block by the slopes of the window. The widths of the
// slopes depend on the adjacent blocks. Samples beyond a slope are not used.
func (d *decoder) windowHalves(left, right []float64, before, after int) {
	n := len(left)
	rise, fall := d.slopes[before], d.slopes[after] // slopes next to a short block are short
	from := (n - len(rise)) / 2
	for i, w := range rise {
		left[from+i] = float64(left[from+i] * w)
	}
	from = (n - len(fall)) / 2
	for i := range fall {
		right[from+i] = float64(right[from+i] * fall[len(fall)-1-i])
	}
}

// readSpectra reads the spectra of all channels, n lines each.
func (d *decoder) readSpectra(r *bitReader, m *mapping, n int) {
	for ch := range d.channels {
		clear(d.spectra[ch][:n])
		f := d.floors[m.floors[m.submap[ch]]]
		d.flat[ch] = !f.readCurve(r, d.books, &d.curves[ch])
	}
	copy(d.silent, d.flat)
	for _, c := range m.couplings {
		if !d.silent[c.magnitude] || !d.silent[c.angle] {
			d.silent[c.magnitude], d.silent[c.angle] = false, false
		}
	}
	for i, x := range m.residues {
		d.some, d.someSilent = d.some[:0], d.someSilent[:0]
		for ch, submap := range m.submap {
			if submap == i {
				d.some = append(d.some, d.spectra[ch][:n])
				d.someSilent = append(d.someSilent, d.silent[ch])
			}
		}
		d.residues[x].addTo(r, d.books, d.some, d.someSilent)
	}
	for i := len(m.couplings) - 1; i >= 0; i-- {
		c := m.couplings[i]
		dequantizeCoupling(d.spectra[c.magnitude][:n], d.spectra[c.angle][:n])
	}
	for ch, flat := range d.flat {
		if flat {
			clear(d.spectra[ch][:n])
		} else {
			d.floors[m.floors[m.submap[ch]]].applyCurve(&d.curves[ch], d.spectra[ch][:n])
		}
	}
}

// dequantizeCoupling converts magnitude and angle to two channels (section 4.3.5).
func dequantizeCoupling(magnitude, angle []float32) {
	for i, m := range magnitude {
		a := angle[i]
		switch {
		case m > 0 && a > 0:
			angle[i] = m - a
		case m > 0:
			magnitude[i], angle[i] = m+a, m
		case a > 0:
			angle[i] = m + a
		default:
			magnitude[i], angle[i] = m-a, m
		}
	}
}

// A transform is the inverse MDCT of blocks of one size (section 4.3.7): it converts m lines of a
// spectrum to 2m samples,
//
//	x[n] = sum over k of X[k] cos(pi/m (n + 1/2 + m/2)(k + 1/2))
//
// The samples are a mirrored discrete cosine transform of type 4, which is computed by a complex
// Fourier transform of m/2 points between two rotations (J. Princen, A. Johnson and A. Bradley,
// ICASSP 1987).
type transform struct {
	m       int
	rotate  []point // exp(-i pi (8n+1) / (8m)) for m/2 values of n
	turn    []point // exp(-2 pi i n / (m/2)) for m/4 values of n
	reverse []uint16
	work    []point
	dct     []float64
}

type point struct{ re, im float64 }

func (a point) timesPoint(b point) point {
	return point{
		float64(a.re*b.re) - float64(a.im*b.im),
		float64(a.re*b.im) + float64(a.im*b.re),
	}
}

// newTransform returns a transform for blocks of 2m samples, where 2m is a power of two, at least
// 64.
func newTransform(m int) *transform {
	h := m / 2
	t := &transform{
		m: m, rotate: make([]point, h), turn: make([]point, h/2),
		reverse: make([]uint16, h), work: make([]point, h), dct: make([]float64, m),
	}
	for i := range t.rotate {
		a := float64(8*i+1) / float64(8*m)
		t.rotate[i] = point{detmath.CosPi(a), -detmath.SinPi(a)}
	}
	for i := range t.turn {
		a := 2 * float64(i) / float64(h)
		t.turn[i] = point{detmath.CosPi(a), -detmath.SinPi(a)}
	}
	width := bits.Len(uint(h)) - 1
	for i := range t.reverse {
		t.reverse[i] = bits.Reverse16(uint16(i)) >> (16 - width)
	}
	return t
}

// inverse transforms m lines into two halves of m samples.
func (t *transform) inverse(spectrum []float32, left, right []float64) {
	h := t.m / 2
	for n := range h {
		x := point{float64(spectrum[2*n]), float64(spectrum[t.m-1-2*n])}
		t.work[t.reverse[n]] = x.timesPoint(t.rotate[n])
	}
	t.fourier()
	for n := range h {
		y := t.work[n].timesPoint(t.rotate[n])
		t.dct[2*n], t.dct[t.m-1-2*n] = y.re, -y.im
	}
	// Beyond its m samples, the cosine transform continues as its negated mirror image.
	for n := range h {
		left[n] = t.dct[h+n]
		left[h+n] = -t.dct[t.m-1-n]
		right[n] = -t.dct[h-1-n]
		right[h+n] = -t.dct[n]
	}
}

// fourier computes the Fourier transform of work in place. work must be in bit-reversed order.
func (t *transform) fourier() {
	n := len(t.work)
	for size := 2; size <= n; size *= 2 {
		half, stride := size/2, n/size
		for from := 0; from < n; from += size {
			a, b := t.work[from:from+half], t.work[from+half:from+size]
			for i := range a {
				x, y := a[i], b[i].timesPoint(t.turn[i*stride])
				a[i] = point{x.re + y.re, x.im + y.im}
				b[i] = point{x.re - y.re, x.im - y.im}
			}
		}
	}
}

// windowSlope returns the rising slope of the window that overlaps two blocks by n samples (section
// 4.3.1).
func windowSlope(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		s := detmath.SinPi((float64(i) + 0.5) / float64(n) / 2)
		w[i] = detmath.SinPi(float64(s*s) / 2)
	}
	return w
}
