package astc

import (
	"math"
)

// A grid holds the tables for one size of weight grid.
type grid struct {
	across, down int
	whole        bool // true if the grid has one weight per pixel
	infill       *infill

	// fitX and fitY compute the grid's weights from the pixels' weights with the smallest squared
	// error: first along rows, then along columns.
	fitX, fitY [8][8]float32
	// keepX and keepY are the fractions of energy that the grid preserves at each frequency.
	keepX, keepY [8]float32
	// gain is the mean fraction of the weights' noise that reaches the pixels.
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

func newGrid(side, across, down int) *grid {
	g := &grid{across: across, down: down, infill: newInfill(side, across, down)}
	g.whole = across == side && down == side
	x, y := newRamp(side, across), newRamp(side, down)
	g.fitX, g.fitY, g.keepX, g.keepY = x.fit, y.fit, x.keep, y.keep
	g.gain = float32(x.gain * y.gain)
	for w := range across * down {
		sum := 0
		g.first[w] = len(g.touched)
		for i := range side * side {
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
// rows and one along columns, except for rounding.
type ramp struct {
	fit  [8][8]float32
	keep [8]float32
	gain float64
}

func newRamp(side, n int) (r ramp) {
	scale := (1024 + side/2) / (side - 1)
	var share [8][8]float64 // interpolation factors, indexed by pixel and weight
	for x := range side {
		at := (scale*x*(n-1) + 32) >> 6
		share[x][at>>4] += float64(float64(16-at&15) / 16)
		if at&15 != 0 {
			share[x][at>>4+1] += float64(float64(at&15) / 16)
		}
	}
	// The normal equations have one right-hand side per pixel.
	var a [8][16]float64
	for i := range n {
		for x := range side {
			for k := range n {
				a[i][k] += float64(share[x][i] * share[x][k])
			}
			a[i][8+x] = share[x][i]
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
			r.fit[i][x] = float32(a[i][8+x] / a[i][i])
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

// cosineWave returns basis vector u of the discrete cosine transform of n values, normalized to
// length 1.
func cosineWave(n, u int) (wave [8]float64) {
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
	at    [64][4]uint8
	share [64][4]uint8
}

// newInfill returns the infill of a grid for blocks of side×side pixels. Source: Khronos Data
// Format Specification 1.4, chapter 23, "Weight Infill".
func newInfill(side, across, down int) *infill {
	f := &infill{}
	scale := (1024 + side/2) / (side - 1)
	for y := range side {
		for x := range side {
			gx, gy := (scale*x*(across-1)+32)>>6, (scale*y*(down-1)+32)>>6
			jx, fx, jy, fy := gx>>4, gx&15, gy>>4, gy&15
			both := (fx*fy + 8) >> 4
			share := [4]int{16 - fx - fy + both, fx - both, fy - both, both}
			first := jx + jy*across
			for k, at := range [4]int{first, first + 1, first + across, first + across + 1} {
				if share[k] != 0 {
					f.at[y*side+x][k], f.share[y*side+x][k] = uint8(at), uint8(share[k])
				}
			}
		}
	}
	return f
}

// pixelWeight returns the weight of pixel i, 0 to 64.
func (f *infill) pixelWeight(i int, weights *[64]uint8) int32 {
	at, share := &f.at[i&63], &f.share[i&63]
	sum := int32(8)
	for k := range at {
		sum += int32(weights[at[k]&63]) * int32(share[k])
	}
	return sum >> 4
}
