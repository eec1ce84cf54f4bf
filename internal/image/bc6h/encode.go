package bc6h

import (
	"math/bits"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// Colors holds half-precision floats of 4x4 pixels, as integers from 0 to 0x7bff. This scale is
// roughly logarithmic, like human vision. Multiplied by 64/31, the integers are on the scale of a
// block's values.
type Colors [16][3]uint16

// pairsAbove holds an error limit for each quality. If one line has a larger error, two lines are
// tried.
var pairsAbove = [...]float32{blockfit.Fast: 0.25, blockfit.Normal: 0.01, blockfit.Best: 0}

// Encode returns the best block found for the colors, with one line or two.
func Encode(colors *Colors, q blockfit.Quality) [16]byte {
	line := fitLine(colors, q)
	if line.err > pairsAbove[q] {
		if pair := fitPair(colors, q); pair.err < line.err {
			return pair.Pack()
		}
	}
	line.lowerAnchor()
	return line.Pack()
}

// A codedBlock is a block and its error.
type codedBlock struct {
	Block
	err float32 // squared error, or the visible error after a call of judged
}

// judged measures the visible error of the block, stores it in f.err, and returns it.
func (f *codedBlock) judged(j *judge) float32 {
	got := Colors(f.Halves())
	f.err = j.errorOfColors(&got)
	return f.err
}

// improveEnds improves each channel of each endpoint in steps of one quantized value. fits reports
// whether the mode can store the endpoints.
func (f *codedBlock) improveEnds(j *judge, fits func() bool) {
	var weights [16]int32
	for i, index := range f.Index {
		weights[i] = f.Mode.Weight(index)
	}
	for region := range int(f.Mode.Regions) {
		pixels := uint16(0)
		for i := range 16 {
			if f.Region(i) == region {
				pixels |= 1 << i
			}
		}
		from, to := &f.Ends[2*region], &f.Ends[2*region+1]
		for k := range 3 {
			j.stepEnds(k, pixels, &weights, &from[k], &to[k], f.Mode.Wide, fits)
		}
	}
	f.judged(j)
}

// scaledHalf converts a half-precision float to the scale of a block's values.
func scaledHalf(h uint16) float32 { return float32(float32(h) * (64.0 / 31)) }

// brightness returns the largest and the smallest value of the colors.
func (c *Colors) brightness() (brightest, darkest uint16) {
	darkest = 0x7bff
	for _, p := range c {
		brightest, darkest = max(brightest, p[0], p[1], p[2]), min(darkest, p[0], p[1], p[2])
	}
	return brightest, darkest
}

// raisedTo returns the scaled colors. Values below the given floor are first raised to it.
func (c *Colors) raisedTo(floor uint16) (pix [16][3]float32) {
	for i, p := range c {
		for k, h := range p {
			pix[i][k] = scaledHalf(max(h, floor))
		}
	}
	return pix
}

// A judge measures the visible error of a block. The error is the sum of the squared differences of
// the logarithms of 1 + v/glare. Above the glare, equal ratios have equal errors; below it, equal
// differences have equal errors.
//
// Dark values are hard to distinguish beside bright values, so the glare is a sixteenth of the
// block's brightest value. It is at most 1, so that dark pixels beside a very bright lamp do not
// become white.
type judge struct {
	blockfit.Glare
	want [3][16]float32 // Glare.Level of the original values, by channel and pixel
}

func judgeOf(colors *Colors) (j judge) {
	brightest, _ := colors.brightness()
	j.Glare = blockfit.GlareOf(brightest)
	for i := range colors {
		for k, h := range colors[i] {
			j.want[k][i] = j.Level(h)
		}
	}
	return j
}

// errorOfColors returns the error of some colors.
func (j *judge) errorOfColors(got *Colors) (sum float32) {
	for i := range got {
		for k, h := range got[i] {
			d := j.Level(h) - j.want[k][i]
			sum += float32(d * d)
		}
	}
	return sum
}

// channelError returns the error of one channel for the pixels in a mask. from and to are the
// endpoint values. The pixels' weights are in 64ths.
func (j *judge) channelError(channel int, mask uint16, weights *[16]int32, from, to int32) (sum float32) {
	want := &j.want[channel]
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros16(mask) & 15
		mixed := (from*(64-weights[i]) + to*weights[i] + 32) >> 6
		d := j.Level(uint16(mixed*31>>6)) - want[i]
		sum += float32(d * d)
	}
	return sum
}

// stepEnds changes the endpoints of a channel by one at a time, as long as this reduces the error
// and fits returns true. wide returns the value of a stored endpoint.
func (j *judge) stepEnds(channel int, mask uint16, weights *[16]int32, from, to *int32, wide func(int32) int32, fits func() bool) {
	least := j.channelError(channel, mask, weights, wide(*from), wide(*to))
	for better := true; better && least > 0; {
		better = false
		for _, d := range [...][2]int32{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}} {
			a, b := *from, *to
			*from, *to = a+d[0], b+d[1]
			if fits() {
				if e := j.channelError(channel, mask, weights, wide(*from), wide(*to)); e < least {
					least, better = e, true
					continue
				}
			}
			*from, *to = a, b
		}
	}
}

// quantize returns the stored integer whose value is nearest to x.
func quantize(x float32, bits uint8) int32 {
	return max(0, min(int32(1)<<bits-1, int32(x)>>(16-bits)))
}

// leastSquares returns the best endpoints for the given weights, which are in 64ths. It returns
// false if all weights are equal.
func leastSquares(pix [][3]float32, weight func(i int) int32) (a, b [3]float32, ok bool) {
	var toA, toB [3]float32
	var aa, ab, bb int32
	for i := range pix {
		w := weight(i)
		aa, ab, bb = aa+(64-w)*(64-w), ab+w*(64-w), bb+w*w
		for k, x := range pix[i] {
			toA[k] += float32(float32(64-w) * x)
			toB[k] += float32(float32(w) * x)
		}
	}
	det := int64(aa)*int64(bb) - int64(ab)*int64(ab)
	if det == 0 {
		return a, b, false
	}
	scale := 64 / float64(det)
	for k := range 3 {
		x, y := float64(toA[k]), float64(toB[k])
		a[k] = float32(max(0, (float64(float64(bb)*x)-float64(float64(ab)*y))*scale))
		b[k] = float32(max(0, (float64(float64(aa)*y)-float64(float64(ab)*x))*scale))
	}
	return a, b, true
}

// fitLine returns the best block with one line.
//
// On the scale of half-precision floats, black is far below all other colors. A line that includes
// black is so long that its colors differ by a factor of two. So if a block has colors far darker
// than its brightest color, fitLine also tries lines that treat dark colors as brighter.
func fitLine(colors *Colors, q blockfit.Quality) codedBlock {
	judge := judgeOf(colors)
	brightest, darkest := colors.brightness()
	pix := colors.raisedTo(0)
	best := closestLine(&pix, q)
	best.judged(&judge)
	for _, stops := range floors(q) {
		floor := brightest - min(brightest, stops<<10)
		if darkest >= floor {
			continue
		}
		pix = colors.raisedTo(floor)
		line := closestLine(&pix, q)
		if line.judged(&judge) < best.err {
			best = line
		}
	}
	if q == blockfit.Best {
		best.improveEnds(&judge, best.fitsBothWays)
	}
	return best
}

// floors returns the lower limits of colors to try, in stops (factors of two) below the brightest
// value.
func floors(q blockfit.Quality) []uint16 {
	if q == blockfit.Fast {
		return []uint16{6} // a factor of 64, the contrast of a good print on paper
	}
	return []uint16{9, 6, 4}
}

// fitsBothWays reports whether the mode can store the endpoints in either order, because pack may
// swap them.
func (f *codedBlock) fitsBothWays() bool {
	for k := range 3 {
		a, b := f.Ends[0][k], f.Ends[1][k]
		if min(a, b) < 0 || max(a, b) >= 1<<f.Mode.Bits {
			return false
		}
		if bits := f.Mode.Distance[k]; bits > 0 {
			if d, most := b-a, int32(1)<<(bits-1)-1; d > most || d < -most {
				return false
			}
		}
	}
	return true
}

// lowerAnchor swaps the endpoints if the top bit of the first index is 1, because this bit is not
// stored.
func (f *codedBlock) lowerAnchor() {
	if f.Index[0] < 8 {
		return
	}
	f.Ends[0], f.Ends[1] = f.Ends[1], f.Ends[0]
	for i := range f.Index {
		f.Index[i] = 15 - f.Index[i]
	}
}

// lineRounds returns the maximum number of least-squares iterations for a line.
func lineRounds(q blockfit.Quality) int {
	return [...]int{blockfit.Fast: 1, blockfit.Normal: 3, blockfit.Best: 8}[q]
}

// closestLine returns the line with the smallest squared error.
func closestLine(pix *[16][3]float32, q blockfit.Quality) codedBlock {
	a, b := blockfit.Outermost(pix[:])
	index := lineIndices(pix, a, b)
	if x, y, ok := lineEnds(pix, &index); ok {
		a, b = x, y
	}
	var best codedBlock
	for i := range Modes() {
		mode := &Modes()[i]
		if mode.Regions != 1 {
			continue
		}
		line, ok := storeLine(mode, pix, a, b)
		for range lineRounds(q) {
			if !ok || line.err == 0 {
				break
			}
			x, y, again := lineEnds(pix, &line.Index)
			if !again {
				break
			}
			next, fits := storeLine(mode, pix, x, y)
			if !fits || next.err >= line.err {
				break
			}
			line = next
		}
		if ok && (best.Mode == nil || line.err < best.err) {
			best = line
		}
	}
	return best // best is set, because the first mode can store all endpoints
}

// storeLine encodes the colors on the line between two endpoints. It returns false if the endpoints
// are too far apart for the mode.
func storeLine(mode *Mode, pix *[16][3]float32, a, b [3]float32) (codedBlock, bool) {
	f := codedBlock{Block: Block{Mode: mode}}
	var from, to [3]float32
	for k := range 3 {
		f.Ends[0][k], f.Ends[1][k] = quantize(a[k], mode.Bits), quantize(b[k], mode.Bits)
		from[k], to[k] = float32(mode.Wide(f.Ends[0][k])), float32(mode.Wide(f.Ends[1][k]))
	}
	if !f.fitsBothWays() {
		return f, false
	}
	f.Index = lineIndices(pix, from, to)
	for i := range pix {
		w := float32(mode.Weight(f.Index[i])) / 64
		for k, x := range pix[i] {
			d := x - from[k] - float32(w*(to[k]-from[k]))
			f.err += float32(d * d)
		}
	}
	return f, true
}

// lineIndices returns, for each color, the nearest index on the line between two endpoints.
func lineIndices(pix *[16][3]float32, from, to [3]float32) (index [16]uint8) {
	way := [3]float32{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	length := float32(way[0]*way[0]) + float32(way[1]*way[1]) + float32(way[2]*way[2])
	if length == 0 {
		return index
	}
	scale := 15 / length
	for i := range pix {
		p := &pix[i]
		along := float32((p[0]-from[0])*way[0]) + float32((p[1]-from[1])*way[1]) + float32((p[2]-from[2])*way[2])
		index[i] = uint8(max(0, min(15, int32(float32(along*scale)+0.5))))
	}
	return index
}

// lineEnds returns the least-squares endpoints for the indices. It returns false if all indices are
// equal.
func lineEnds(pix *[16][3]float32, index *[16]uint8) (a, b [3]float32, ok bool) {
	return leastSquares(pix[:], func(i int) int32 { return weights4[index[i]&15] })
}
