package astc

import (
	"math"
)

// A grid holds the tables for one size of weight grid.
type grid struct {
	across, down int
	whole        bool // true if the grid has one weight per pixel
	infill       *infill

	x, y *ramp // interpolation along rows and along columns
	// gain is the mean fraction of the noise of the weights that remains after interpolation to
	// pixels.
	gain float32

	// Weight g affects the pixels touched[first[g]:first[g+1]].
	first   [65]int
	touched []touch
	inverse [64]float32 // reciprocal of the sum of squared shares, for each weight
}

// A touch is a pixel that a weight affects.
type touch struct {
	pixel uint8
	share float32 // interpolation factor of the weight, at most 1
}

func (f *format) newGrid(across, down int) *grid {
	g := &grid{across: across, down: down, x: f.across[across], y: f.down[down], infill: newInfill(f.size, across, down)}
	g.whole = across == f.size.W && down == f.size.H
	g.gain = float32(g.x.gain * g.y.gain)
	for w := range across * down {
		sum := 0
		g.first[w] = len(g.touched)
		for i := range f.pixels {
			share := 0
			for k, at := range g.infill.at[i] {
				if int(at) == w {
					share += int(g.infill.share[i][k])
				}
			}
			if share > 0 {
				g.touched = append(g.touched, touch{uint8(i), float32(share) / 16})
				sum += share * share
			}
		}
		g.inverse[w] = 256 / float32(sum)
	}
	g.first[across*down] = len(g.touched)
	return g
}

// A ramp interpolates a row of weights to a row of pixels. A grid is interpolated by one ramp along
// rows and one along columns. The result equals the format's except for rounding.
type ramp struct {
	// fit converts the ideal weights of the pixels to the grid weights with the least squared
	// error.
	fit [16][16]float32
	// keep is the fraction of energy at each frequency that the grid weights preserve.
	keep [16]float32
	gain float64
}

func newRamp(side, n int) *ramp {
	r := &ramp{}
	scale := stepOf(side)
	var share [maxSide][maxSide + 1]float64 // interpolation factors by pixel and weight
	for x := range side {
		at := (scale*x*(n-1) + 32) >> 6
		share[x][at>>4] += float64(float64(16-at&15) / 16)
		if at&15 != 0 {
			share[x][at>>4+1] += float64(float64(at&15) / 16)
		}
	}
	// The normal equations have one right-hand side per pixel.
	var a [maxSide][2 * maxSide]float64
	for i := range n {
		for x := range side {
			for k := range n {
				a[i][k] += float64(share[x][i] * share[x][k])
			}
			a[i][maxSide+x] = share[x][i]
			r.gain += float64(share[x][i]*share[x][i]) / float64(side)
		}
	}
	for i := range n {
		for k := range n {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for c := range a[k] {
				a[k][c] -= float64(f * a[i][c])
			}
		}
	}
	for i := range n {
		for x := range side {
			r.fit[i][x] = float32(a[i][maxSide+x] / a[i][i])
		}
	}
	for u := range side {
		wave := cosineWave(side, u)
		kept := 0.0
		for x := range side {
			v := 0.0
			for i := range n {
				for from := range side {
					v += float64(float64(share[x][i]*float64(r.fit[i][from])) * wave[from])
				}
			}
			kept += float64(v * v)
		}
		r.keep[u] = float32(min(kept, 1))
	}
	return r
}

// stepOf returns the distance between neighboring pixels in a row of n pixels, if the row has
// length 1024.
func stepOf(n int) int { return (1024 + n/2) / (n - 1) }

// wavesOf returns the basis of the discrete cosine transform of n values, by frequency.
func wavesOf(n int) (basis [16][16]float32) {
	for u := range n {
		for x, v := range cosineWave(n, u) {
			basis[u][x] = float32(v)
		}
	}
	return basis
}

// cosineWave returns basis vector u of the discrete cosine transform of n values, normalized to
// length 1.
func cosineWave(n, u int) (wave [maxSide]float64) {
	size := math.Sqrt(2 / float64(n))
	if u == 0 {
		size = math.Sqrt(1 / float64(n))
	}
	for x := range n {
		wave[x] = float64(size * cosineOfTurns((2*x+1)*u, 4*n))
	}
	return wave
}

// cosineOfTurns returns the cosine of i/n turns. The result is equal on every machine.
func cosineOfTurns(i, n int) float64 {
	i %= n
	sign := 1.0
	if 2*i > n {
		i = n - i
	}
	if 4*i > n {
		i, sign = n-2*i, -1
		n *= 2
		// cos(a) = -cos(1/2 - a), with angles in turns.
	}
	x := float64(2*math.Pi*float64(i)) / float64(n)
	x2 := float64(x * x)
	sum, term := 1.0, 1.0
	for k := 1; k <= 12; k++ {
		term = -float64(term*x2) / float64((2*k-1)*(2*k))
		sum += term
	}
	return float64(sign * sum)
}

// An infill interpolates a grid's weights to pixels. The weight of pixel i is the sum of
// weight[at[i][k]] times share[i][k], in sixteenths.
type infill struct {
	at    [][4]uint8
	share [][4]uint8
}

// newInfill returns the infill of a grid for blocks of the given size. Source: Khronos Data Format
// Specification 1.4, chapter 23, "Weight Infill".
func newInfill(size Size, across, down int) *infill {
	n := size.W * size.H
	f := &infill{make([][4]uint8, n), make([][4]uint8, n)}
	scaleX, scaleY := stepOf(size.W), stepOf(size.H)
	for y := range size.H {
		for x := range size.W {
			gx, gy := (scaleX*x*(across-1)+32)>>6, (scaleY*y*(down-1)+32)>>6
			jx, fx, jy, fy := gx>>4, gx&15, gy>>4, gy&15
			both := (fx*fy + 8) >> 4
			share := [4]int{16 - fx - fy + both, fx - both, fy - both, both}
			first := jx + jy*across
			for k, at := range [4]int{first, first + 1, first + across, first + across + 1} {
				if share[k] != 0 {
					f.at[y*size.W+x][k], f.share[y*size.W+x][k] = uint8(at), uint8(share[k])
				}
			}
		}
	}
	return f
}

// pixelWeight returns the weight of pixel i, 0 to 64.
func (f *infill) pixelWeight(i int, weights *[64]uint8) int32 {
	at, share := &f.at[i], &f.share[i]
	sum := int32(8)
	for k := range at {
		sum += int32(weights[at[k]&63]) * int32(share[k])
	}
	return sum >> 4
}
