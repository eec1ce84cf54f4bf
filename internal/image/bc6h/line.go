package bc6h

import "github.com/assetcook/assetcook/internal/image/blockfit"

// fitLine returns the best block of one line.
//
// On the scale of half floats black is many steps below all other colors, and would
// stretch the line until its colors are a stop apart. If a block has colors far darker
// than its brightest, fitLine also tries lines that take them for brighter.
func fitLine(colors *Colors, q blockfit.Quality) fitted {
	judge := judgeOf(colors)
	brightest, darkest := colors.brightness()
	pix := colors.above(0)
	best := closestLine(&pix, q)
	best.judged(&judge)
	for _, stops := range floors(q) {
		floor := brightest - min(brightest, stops<<10)
		if darkest >= floor {
			continue
		}
		pix = colors.above(floor)
		line := closestLine(&pix, q)
		if line.judged(&judge) < best.err {
			best = line
		}
	}
	if q == blockfit.Best {
		best.near(&judge, best.fitsBothWays)
	}
	return best
}

// floors returns the distances of floors, in stops below the brightest value.
func floors(q blockfit.Quality) []uint16 {
	if q == blockfit.Fast {
		return []uint16{6} // 64 times: the range of a good picture on paper
	}
	return []uint16{9, 6, 4}
}

// fitsBothWays reports whether the mode can store the ends in either order, as packing
// may exchange them.
func (f *fitted) fitsBothWays() bool {
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

// lowerAnchor exchanges the ends if the first index has its top bit, which is not stored.
func (f *fitted) lowerAnchor() {
	if f.Index[0] < 8 {
		return
	}
	f.Ends[0], f.Ends[1] = f.Ends[1], f.Ends[0]
	for i := range f.Index {
		f.Index[i] = 15 - f.Index[i]
	}
}

// rounds returns how often least squares may improve a line.
func rounds(q blockfit.Quality) int {
	return [...]int{blockfit.Fast: 1, blockfit.Normal: 3, blockfit.Best: 8}[q]
}

// closestLine returns the line of least squared error.
func closestLine(pix *[16][3]float32, q blockfit.Quality) fitted {
	a, b := blockfit.Outermost(pix[:])
	index := lineIndices(pix, a, b)
	if x, y, ok := lineEnds(pix, &index); ok {
		a, b = x, y
	}
	var best fitted
	for i := range Modes() {
		mode := &Modes()[i]
		if mode.Regions != 1 {
			continue
		}
		line, ok := lineBetween(mode, pix, a, b)
		for range rounds(q) {
			if !ok || line.err == 0 {
				break
			}
			x, y, again := lineEnds(pix, &line.Index)
			if !again {
				break
			}
			next, fits := lineBetween(mode, pix, x, y)
			if !fits || next.err >= line.err {
				break
			}
			line = next
		}
		if ok && (best.Mode == nil || line.err < best.err) {
			best = line
		}
	}
	return best // the first mode always fits
}

// lineBetween stores the colors on the line between two ends, or returns false if these
// are too far apart for the mode.
func lineBetween(mode *Mode, pix *[16][3]float32, a, b [3]float32) (fitted, bool) {
	f := fitted{Block: Block{Mode: mode}}
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

// lineIndices returns the index nearest to each color between two ends.
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

// lineEnds returns the ends that suit the indices best, or false if all are equal.
func lineEnds(pix *[16][3]float32, index *[16]uint8) (a, b [3]float32, ok bool) {
	return leastSquares(pix[:], func(i int) int32 { return weights4[index[i]&15] })
}
