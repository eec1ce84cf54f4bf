package main

// hash mixes a lattice point and a seed to 32 even bits.
func hash(x, y int, seed uint32) uint32 {
	h := uint32(x)*0x9e3779b1 + uint32(y)*0x7feb352d + seed*0x846ca68b
	h ^= h >> 16
	h *= 0x21f0aaad
	h ^= h >> 15
	h *= 0xd35a2d97
	return h ^ h>>15
}

// pick returns an even number in 0..n-1 for a lattice point and a seed.
func pick(x, y int, seed uint32, n int) int {
	return int(uint64(hash(x, y, seed)) * uint64(n) >> 32)
}

// valueNoise is smooth noise in 0..65535 with one random value every cell
// pixels. With size > 0 it repeats every size pixels, which cell must divide.
func valueNoise(x, y, cell, size int, seed uint32) int {
	cx, cy := (x-floorMod(x, cell))/cell, (y-floorMod(y, cell))/cell
	u, v := ease(floorMod(x, cell), cell), ease(floorMod(y, cell), cell)
	at := func(i, j int) int {
		if size > 0 {
			i, j = floorMod(i, size/cell), floorMod(j, size/cell)
		}
		return int(hash(i, j, seed) >> 16)
	}
	top := at(cx, cy)*(4096-u) + at(cx+1, cy)*u
	bottom := at(cx, cy+1)*(4096-u) + at(cx+1, cy+1)*u
	return ((top>>12)*(4096-v) + (bottom>>12)*v) >> 12
}

// ease is the curve 3t²-2t³ for t = i/n, as 0..4096.
func ease(i, n int) int {
	t := int64(i) * 4096 / int64(n)
	return int(t * t * (3*4096 - 2*t) >> 24)
}

// fractal sums octaves of valueNoise, each half as coarse and half as strong as
// the one before. The result is in 0..65535.
func fractal(x, y, cell, size, octaves int, seed uint32) int {
	sum, weight, total := 0, 1<<octaves, 0
	for o := 0; o < octaves && cell > 0; o++ {
		sum += valueNoise(x, y, cell, size, seed+uint32(o)*101) * weight
		total += weight
		weight, cell = weight/2, cell/2
	}
	return sum / total
}

// stones is a Worley pattern: one random point in every cell by cell pixels.
// It returns the distances to the nearest and the second nearest point in 256ths
// of a pixel and a number that names the nearest. It repeats every size pixels,
// which cell must divide.
func stones(x, y, cell, size int, seed uint32) (near, next int, id uint32) {
	cx, cy := (x-floorMod(x, cell))/cell, (y-floorMod(y, cell))/cell
	best, second := int64(1)<<40, int64(1)<<40
	for j := cy - 2; j <= cy+2; j++ {
		for i := cx - 2; i <= cx+2; i++ {
			name := hash(floorMod(i, size/cell), floorMod(j, size/cell), seed)
			px := i*cell*16 + int(name&0xffff)*cell*16>>16
			py := j*cell*16 + int(name>>16)*cell*16>>16
			dx, dy := int64(px-x*16), int64(py-y*16)
			switch d := dx*dx + dy*dy; {
			case d < best:
				best, second, id = d, best, name
			case d < second:
				second = d
			}
		}
	}
	return root(best << 8), root(second << 8), id // d² is in 1/16² pixel²
}
