package astc

import (
	"slices"
	"sync"
)

// A format holds the tables for blocks of one size.
type format struct {
	size         Size
	pixels       int
	words        int             // used elements of a pixelSet
	across, down [13]*ramp       // ramps by number of weights
	grids        []*grid         // nil where the grid has more than maxWeights weights
	waveX, waveY [16][16]float32 // DCT bases by frequency
	plans        [shapes][]plan
	splits       [maxParts + 1]func() *splitTable // splits by number of parts
	universal    bool                             // true for UASTC HDR, a subset of the format
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

// A plan says how many bits of a block encode the endpoints and how many the weights.
type plan struct {
	layout
	mode      uint16
	colorSpan int
	grid      uint8
	// noise is the squared error that quantized weights add to a block whose lines have length 1.
	// color is the squared error that quantized endpoints add.
	noise, color float32
}

// formatTables has the tables for each size in sizes, made on first use.
var formatTables [14]struct {
	once   sync.Once
	format *format
}

// formatOf returns the tables for one of sizes.
func formatOf(size Size) *format {
	t := &formatTables[slices.Index(sizes[:], size)]
	t.once.Do(func() {
		prepare()
		t.format = newFormat(size)
	})
	return t.format
}

// prepare computes the tables for all block sizes on its first call.
var prepare = sync.OnceFunc(func() {
	trits, tritsPacked = tritTables()
	quints, quintsPacked = quintTables()
	colors, weights = colorScales(), weightScales()
	findNeighbors()
	findNearestRanks()
})

func newFormat(size Size) *format {
	f := &format{size: size, pixels: size.W * size.H}
	f.words = (f.pixels + 63) / 64
	f.waveX, f.waveY = wavesOf(size.W), wavesOf(size.H)
	for n := 2; n <= size.W; n++ {
		f.across[n] = newRamp(size.W, n)
	}
	for n := 2; n <= size.H; n++ {
		f.down[n] = newRamp(size.H, n)
	}
	for down := 2; down <= size.H; down++ {
		for across := 2; across <= size.W; across++ {
			var g *grid
			if across*down <= maxWeights {
				g = f.newGrid(across, down)
			}
			f.grids = append(f.grids, g)
		}
	}
	modes := modesOf(size)
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
			f.splits[parts] = sync.OnceValue(func() *splitTable { return splitsOf(size, parts) })
		}
	}
	return f
}

// grid returns the grid of the given size: at least two weights in each direction, and at most
// maxWeights.
func (f *format) grid(across, down int) *grid { return f.grids[(down-2)*(f.size.W-1)+across-2] }

// plansOf returns the plans of a shape in a deterministic order.
func (f *format) plansOf(s shape, modes map[layout]uint16) (plans []plan) {
	for g, grid := range f.grids {
		for span := range weightSpans {
			if grid == nil {
				break
			}
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
