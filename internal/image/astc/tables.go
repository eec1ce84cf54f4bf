package astc

import (
	"slices"
	"sync"
)

// A format holds the tables for blocks of one size.
type format struct {
	side, pixels int
	grids        []*grid
	wave         [8][8]float32 // basis vectors of the DCT
	plans        [shapes][]plan
	splits       [maxParts + 1]func() []split // the splits into each number of parts
}

// A shape is the number of parts, planes and endpoint values of a block.
type shape struct {
	parts, numbers int
	dual, mixed    bool
}

// maxParts is the largest number of parts that the encoder uses.
const maxParts = 3

// shapes is the number of possible shapes.
const shapes = maxParts * 10 * 4

func (s shape) shapeIndex() int {
	i := ((s.parts-1)*10 + s.numbers/2) * 4
	if s.dual {
		i += 2
	}
	if s.mixed {
		i++
	}
	return i
}

// A plan divides the bits of a block among endpoints and weights.
type plan struct {
	layout
	mode      uint16
	colorSpan int
	grid      uint8
	// noise is the squared error that quantized weights add to a block whose lines have length 1.
	// color is the error that quantized endpoints add.
	noise, color float32
}

// A split is a partitioning of ASTC: it assigns each pixel of a block to a part.
type split struct {
	seed  uint16
	masks [maxParts]uint64
}

var formats = func() (all [9]func() *format) {
	for _, side := range sides {
		all[side] = sync.OnceValue(func() *format { prepare(); return newFormat(side) })
	}
	return all
}()

// prepare computes the tables for all block sizes on its first call.
var prepare = sync.OnceFunc(func() {
	trits, tritsPacked = tritTables()
	quints, quintsPacked = quintTables()
	colors, weights = colorScales(), weightScales()
	findNeighbors()
})

func newFormat(side int) *format {
	f := &format{side: side, pixels: side * side}
	for u := range side {
		for x, v := range cosineWave(side, u) {
			f.wave[u][x] = float32(v)
		}
	}
	for down := 2; down <= side; down++ {
		for across := 2; across <= side; across++ {
			f.grids = append(f.grids, newGrid(side, across, down))
		}
	}
	modes := modesOf(side)
	for parts := 1; parts <= maxParts; parts++ {
		for numbers := 2 * parts; numbers <= min(8*parts, maxColors); numbers += 2 {
			for k := range 4 {
				s := shape{parts, numbers, k >= 2, k&1 != 0}
				if parts == 1 && !s.mixed || parts > 1 && !s.dual {
					f.plans[s.shapeIndex()] = f.plansOf(s, modes)
				}
			}
		}
		if parts > 1 {
			f.splits[parts] = sync.OnceValue(func() []split { return splitsOf(side, parts) })
		}
	}
	return f
}

// grid returns the grid of the given size; each direction has 2 to side weights.
func (f *format) grid(across, down int) *grid { return f.grids[(down-2)*(f.side-1)+across-2] }

// plansOf returns the plans of a shape in a deterministic order.
func (f *format) plansOf(s shape, modes map[layout]uint16) (plans []plan) {
	for g, grid := range f.grids {
		for span := range weightSpans {
			l := layout{across: grid.across, down: grid.down, span: span, dual: s.dual}
			mode, ok := modes[l]
			if !ok {
				continue
			}
			room := 128 - 17 - spans[span].sequenceBits(l.weights())
			if s.parts > 1 {
				room -= 12
			}
			if s.mixed {
				room -= extraBits(s.parts)
			}
			if s.dual {
				room -= 2
			}
			p := plan{layout: l, mode: mode, grid: uint8(g), colorSpan: colorSpanFor(s.numbers, room)}
			if p.colorSpan < colorSpan {
				continue
			}
			steps := float32(spans[span].levels - 1)
			p.noise = float32(f.pixels) * grid.gain * noiseOfWeights / (12 * steps * steps)
			step := 255 / float32(spans[p.colorSpan].levels-1)
			if step > 1 {
				p.color = float32(f.pixels*s.numbers/s.parts/2) * step * step * noiseOfColors / 12
			}
			plans = append(plans, p)
		}
	}
	return plans
}

// Refitting endpoints and weights to each other reduces the quantization noise to these fractions.
// They were found by experiment.
const (
	noiseOfWeights = 0.6
	noiseOfColors  = 0.35
)

// splitsOf returns the distinct splits of a block into n parts. Splits that differ only in the
// order of parts are equal.
func splitsOf(side, n int) (all []split) {
	seen := map[[maxParts]uint64]bool{}
	for seed := range 1024 {
		masks := partMasks(seed, side, n)
		sorted := [maxParts]uint64(masks[:])
		slices.Sort(sorted[:n])
		few := false
		for _, m := range sorted[:n] {
			few = few || m == 0
		}
		if seen[sorted] || few {
			continue
		}
		seen[sorted] = true
		all = append(all, split{uint16(seed), [maxParts]uint64(masks[:])})
	}
	return all
}

// maxPartitions is the maximum number of parts in a block.
const maxPartitions = 4

// Partition returns the part of the pixel at x, y in a block with the given number of parts. small
// must be set for blocks of less than 31 pixels. Source: Khronos Data Format Specification 1.4,
// chapter 23, "Partition Pattern Generation".
func Partition(seed, x, y, parts int, small bool) int {
	if small {
		x, y = 2*x, 2*y
	}
	seed += (parts - 1) * 1024
	n := hash52(uint32(seed))
	var s [8]int
	for i := range s {
		v := int(n >> (4 * i) & 15)
		s[i] = v * v
	}
	first, second := 5, 5
	if seed&2 != 0 {
		first = 4
	}
	if parts == 3 {
		second = 6
	}
	if seed&1 == 0 {
		first, second = second, first
	}
	at := func(i, shift int) int {
		return (s[2*i]>>first*x + s[2*i+1]>>second*y + int(n>>shift)) & 63
	}
	a, b, c, d := at(0, 14), at(1, 10), 0, 0
	if parts >= 3 {
		c = at(2, 6)
	}
	if parts >= 4 {
		d = at(3, 2)
	}
	switch {
	case a >= b && a >= c && a >= d:
		return 0
	case b >= c && b >= d:
		return 1
	case c >= d:
		return 2
	}
	return 3
}

func hash52(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}

// partMasks returns the parts of a block's pixels, as one pixel mask per part.
func partMasks(seed, side, n int) (masks [maxPartitions]uint64) {
	for y := range side {
		for x := range side {
			masks[Partition(seed, x, y, n, side*side < 31)] |= 1 << (y*side + x)
		}
	}
	return masks
}
