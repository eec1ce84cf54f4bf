package pixel

import (
	"context"
	"math/bits"
)

// Color says what the colours of a map of 8 or 16 bits are. Maps of floats are
// linear light unless they are Data.
type Color uint8

// What colours may be.
const (
	// SRGB colours are averaged as linear light, in proportion to their alpha.
	SRGB Color = iota
	// Linear colours are linear light already.
	Linear
	// Data is no colour: each of the four channels is averaged by itself.
	Data
)

// Sampling is how the pixels of one size become those of another.
type Sampling struct {
	Filter Filter
	Color  Color
	// Normal says that red, green and blue are the x, y and z of unit vectors,
	// from -1 at 0 to 1 at the top: they are averaged as such and made unit
	// vectors again. A map whose blue is the same everywhere has two channels: z
	// is found from x and y, and blue stays. Color must be Data.
	Normal bool
	// Premultiplied says that colours are multiplied by alpha already.
	Premultiplied bool
	// WrapX and WrapY are what lies beyond the edges. Box does not look there.
	WrapX, WrapY Wrap
}

// weighs reports whether colours of m count in proportion to their alpha.
func (s Sampling) weighs() bool { return s.Color != Data && !s.Premultiplied }

// MipOptions are how Mips makes levels.
type MipOptions struct {
	Sampling
	// Coverage is the alpha, from 0 to 1, from which on a pixel is drawn by an
	// alpha test; 0 for none. The alpha of each level is scaled so that the share
	// of pixels drawn stays that of the map (Castaño, "Computing Alpha Mipmaps",
	// 2010): leaves do not thin out with distance.
	Coverage float64
	// Levels is how many there shall be, with the map itself; 0 for all.
	Levels int
}

// Mips returns m and its smaller levels, down to 1 x 1. Each side of a level is
// half that of the one before, rounded down. All are as deep as m.
//
// Each level is averaged from the one before in more bits than it is stored in.
// Colours go by what is seen of them, but where all alpha is 0 the plain average
// of the colours goes on, and no black bleeds in from the edges of sprites.
func Mips(ctx context.Context, m *Map, o MipOptions) ([]*Map, error) {
	n := levelCount(m.W, m.H)
	if o.Levels > 0 {
		n = min(n, o.Levels)
	}
	levels := []*Map{m}
	if n == 1 {
		return levels, ctx.Err()
	}
	l := newLight(m, o.Sampling)
	var smaller []*Map
	var err error
	if o.Filter == Box && m.Depth() == Bits8 && !l.flat {
		smaller, err = boxMips(ctx, m, n-1, o.Sampling)
	} else {
		smaller, err = filterMips(ctx, l, n-1, o.Sampling)
	}
	if err != nil {
		return nil, err
	}
	if o.Coverage > 0 {
		if err := keepCoverage(ctx, m, smaller, o.Coverage); err != nil {
			return nil, err
		}
	}
	return append(levels, smaller...), nil
}

// filterMips returns the levels below the map of l, n of them.
func filterMips(ctx context.Context, l light, n int, s Sampling) ([]*Map, error) {
	opaque, err := Opaque(ctx, l.m)
	if err != nil {
		return nil, err
	}
	weigh := s.weighs() && !opaque
	w, h := l.m.W, l.m.H
	buf := make([]float32, 4*w)
	source := func(y int) []float32 {
		l.widen(buf, y)
		return buf
	}
	var levels []*Map
	for range n {
		tw, th := max(1, w/2), max(1, h/2)
		p, err := newScaler(l, s, weigh, w, h, tw, th, source).plane(ctx)
		if err != nil {
			return nil, err
		}
		made := New(tw, th, l.m.Depth())
		for y := range th {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			l.narrow(made, y, p.row(y))
		}
		levels = append(levels, made)
		w, h, source = tw, th, p.row
	}
	return levels, nil
}

// MipMemory returns the most bytes that Mips holds at once besides the map
// itself, for one of w by h pixels, with the levels that it returns.
func MipMemory(w, h int, d Depth, o MipOptions) int64 {
	quarter := int64(max(1, w/2)) * int64(max(1, h/2))
	levels := (quarter*4/3 + int64(w) + int64(h)) * bytesPerPixel(d)
	if o.Filter == Box && d == Bits8 && !o.Normal {
		return levels + 2*3*8*int64(w) + curveMemory
	}
	// The floats of all levels, and the scaler's rows for each.
	floats := (quarter*4/3 + int64(w) + int64(h)) * 16
	return levels + floats + 2*scalerMemory(o.Filter, w, h, max(1, w/2), max(1, h/2)) + curveMemory
}

// curveMemory is what the tables of all curves take.
const curveMemory = 1 << 20

func bytesPerPixel(d Depth) int64 {
	switch d {
	case Float:
		return 16
	case Bits16:
		return 8
	}
	return 4
}

// scalerMemory returns what a scaler takes.
func scalerMemory(f Filter, w, h, tw, th int) int64 {
	taps := func(n, m int) int64 {
		if f == Box {
			return int64(n/m) + 2
		}
		return int64(2*f.reach()*max(1, float64(n)/float64(m))) + 2
	}
	spans := int64(tw)*(32+8*taps(w, tw)) + int64(th)*(32+8*taps(h, th))
	lines := (taps(h, th) + 1) * seenLanes * 8 * int64(tw)
	return (lines+spans)*9/8 + 16*int64(w) // the allocator rounds up
}

// levelCount returns how many levels a map of w by h pixels has.
func levelCount(w, h int) int { return bits.Len(uint(max(w, h))) }
