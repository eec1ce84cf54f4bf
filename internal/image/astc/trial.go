package astc

import "math"

// A trial holds the intermediate results of trying a plan.
type trial struct {
	ideal  [64]float32      // weights of the grid before quantization
	grid   [2][64]uint8     // dequantized weights of the grid, by plane
	rank   [2][64]uint8     // ranks of the grid's weights, by plane
	pixel  [2][cells]int32  // interpolated weights of the pixels, 0 to 64
	ends   [maxParts]pair   // endpoints by part
	color  [maxColors]uint8 // codes of the endpoint values
	length [4]float32       // squared lengths of the lines, by part

	// These arrays are reused, because clearing them would take long.
	rows, energy [16][16]float32
	at, left     [cells]float32
}

// tryPlan encodes the block with a plan, and keeps the result if it is the best so far.
func (e *encoder) tryPlan(h *hypothesis, p *plan) {
	planes := h.planes()
	g := e.grids[p.grid]
	at := &e.work.at
	for k := range planes {
		if !g.whole || spans[p.span].levels > mostAligned {
			e.settleWeights(g, p, k, &h.at[k], nil)
			continue
		}
		*at = h.at[k]
		for part := range h.parts {
			e.alignToLevels(h, part, at, spans[p.span].levels)
		}
		e.settleWeights(g, p, k, at, nil)
	}
	for range e.effort.rounds {
		kinds, ok := e.roundEnds(h, p)
		if !ok {
			return
		}
		for k := range planes {
			e.placeOnLines(h, k, at)
			e.settleWeights(g, p, k, at, h)
		}
		switch {
		case e.light != nil:
			sse, visible := e.measureLight(h)
			if e.universal && visible/2 < e.light.visible {
				visible = (visible + e.measureTranscoded(h, p)) / 2
			}
			e.sse = min(e.sse, sse)
			if visible < e.light.visible {
				e.light.visible = visible
				e.keepTrial(h, p, kinds)
			}
		default:
			if sse := e.measureTrial(h); sse < e.sse {
				e.sse = sse
				e.keepTrial(h, p, kinds)
			}
		}
	}
}

// mostAligned is the largest number of weight levels for which positions are aligned.
const mostAligned = 8

// alignToLevels stretches the positions of a part's pixels, so that they are near the given number
// of evenly spaced levels. The outermost positions may end up beyond the outermost levels, where
// they are cut off.
func (e *encoder) alignToLevels(h *hypothesis, part int, at *[cells]float32, levels int) {
	list := e.work.left[:0]
	for i, v := range at[:e.pixels] {
		if int(h.part[i&255]) == part {
			list = append(list, v)
		}
	}
	top := float32(levels - 1)
	var best cut
	least := float32(math.MaxFloat32)
	try := func(c cut) {
		if sum := c.offLevels(list, top); sum < least {
			best, least = c, sum
		}
	}
	for k := float32(0); k < cuts; k++ {
		try(cut{k, k})
	}
	middle := best
	for k := float32(0); k < cuts; k++ {
		if k != middle.low {
			try(cut{middle.low, k})
			try(cut{k, middle.high})
		}
	}
	from, length := best.onLine(top)
	scale := 1 / length
	for i, v := range at[:e.pixels] {
		if int(h.part[i&255]) == part {
			at[i] = max(0, min(float32((v-from)*scale), 1))
		}
	}
}

// A cut moves the two ends of a line inward, by multiples of cutStep.
type cut struct{ low, high float32 }

// onLine returns the new start and the new length of a line whose length was 1. top is the number of
// levels minus one.
func (c cut) onLine(top float32) (from, length float32) {
	step := cutStep / top
	return float32(c.low * step), 1 - float32((c.low+c.high)*step)
}

// offLevels returns the sum of the squared distances of positions to the nearest level.
func (c cut) offLevels(list []float32, top float32) (sum float32) {
	from, length := c.onLine(top)
	scale := top / length
	for _, v := range list {
		v = float32((v - from) * scale)
		v -= float32(int32(max(0, min(v, top)) + 0.5))
		sum += float32(v * v)
	}
	return float32(sum*length) * length
}

// The search for the best alignment moves each end inward by up to cuts-1 steps. cutStep is the size
// of a step, relative to the distance of two levels.
const (
	cuts    = 4
	cutStep = 0.25
)

// roundEnds quantizes the endpoints of the trial and returns their final endpoint modes. It returns
// false if an endpoint mode cannot store its endpoints.
func (e *encoder) roundEnds(h *hypothesis, p *plan) (kinds [maxPartitions]uint8, ok bool) {
	t := &e.work
	fits := e.fitWeights(h)
	// Offset modes and the small range of gray may be more precise.
	near := spans[p.colorSpan].levels < 256 || h.kinds[0] == kindLightRange
	var color [maxColors]uint8
	var ends [maxParts]pair
	var direct, other int64
	at := 0
	ok = true
	for part := range h.parts {
		f, kind := &fits[part], h.kinds[part]
		f.solveEnds()
		n := endNumbers(kind)
		var l int64
		t.ends[part], l = f.roundByKind(kind, p.colorSpan, t.color[at:][:n])
		kinds[part] = kind
		possible := l < impossible
		if near && (kind == kindRGB || kind == kindRGBA || kind == kindLightRange) {
			var l2 int64
			ends[part], l2 = f.roundByKind(kind|1, p.colorSpan, color[at:][:n])
			switch {
			case h.mixed || h.parts == 1:
				if l2 < l {
					t.ends[part], kinds[part] = ends[part], kind|1
					copy(t.color[at:][:n], color[at:][:n])
					possible = true
				}
			default:
				direct += l
				other += l2
				near = l2 < impossible
			}
		}
		ok = ok && possible
		at += n
	}
	if near && other < direct {
		t.ends, t.color = ends, color
		for part := range h.parts {
			kinds[part] = h.kinds[part] | 1
		}
		ok = true
	}
	return kinds, ok
}

// keepTrial makes the trial the best encoding so far.
func (e *encoder) keepTrial(h *hypothesis, p *plan, kinds [maxPartitions]uint8) {
	t, c := &e.work, &e.best
	c.layout, c.mode, c.colorSpan = p.layout, p.mode, p.colorSpan
	c.parts, c.seed, c.component = uint8(h.parts), h.seed, h.component
	c.kinds = kinds
	c.color = t.color
	n := p.across * p.down
	sorted := weights[p.span].sorted
	if p.dual {
		for i, r := range t.rank[0][:n] {
			c.weight[2*i&63], c.weight[(2*i+1)&63] = sorted[r], sorted[t.rank[1][i]]
		}
		return
	}
	for i, r := range t.rank[0][:n] {
		c.weight[i] = sorted[r]
	}
}

// placeOnLines computes the positions of the pixels on the lines of the trial in one plane.
func (e *encoder) placeOnLines(h *hypothesis, plane int, at *[cells]float32) {
	t := &e.work
	var from, d [4][4]float32
	var base [4]float32
	for part := range h.parts {
		ends := &t.ends[part]
		for c := range 4 {
			if h.dual && (c == int(h.component)) != (plane == 1) {
				continue
			}
			from[part][c], d[part][c] = float32(ends[0][c]), float32(ends[1][c]-ends[0][c])
		}
		from[part][3] = float32(from[part][3] * e.alphaStretch)
		d[part][3] = float32(d[part][3] * e.alphaStretch)
		length := dotRounded(&d[part], &d[part])
		t.length[part] = length
		if length > 0 {
			for c := range d[part] {
				d[part][c] /= length
			}
		}
		base[part] = dotRounded(&from[part], &d[part])
	}
	for i := range e.pixels {
		part := h.part[i&255] & 3
		at[i&255] = max(0, min(dotRounded(&e.pf[i&255], &d[part])-base[part], 1))
	}
}

// settleWeights fits and quantizes the weights of a grid to the weights of a plane's pixels. Unless
// h is nil, errors are weighted by the lengths of its lines.
func (e *encoder) settleWeights(g *grid, p *plan, plane int, at *[cells]float32, h *hypothesis) {
	t := &e.work
	ranked := weights[p.span].ranked
	values, ranks := &t.grid[plane], &t.rank[plane]
	pixel := &t.pixel[plane]
	if g.whole {
		for i, v := range at[:e.pixels] {
			r := rankOf(p.span, v)
			ranks[i] = r
			values[i] = ranked[r]
			pixel[i] = int32(ranked[r])
		}
		return
	}
	e.shrinkWeights(g, at)
	n := g.across * g.down
	for i, v := range t.ideal[:n] {
		r := rankOf(p.span, max(0, min(v, 1)))
		ranks[i] = r
		values[i] = ranked[r]
	}
	if h != nil {
		e.descendWeights(g, p, plane, at, h)
	}
	for i := range e.pixels {
		pixel[i] = g.infill.pixelWeight(i, values)
	}
}

// shrinkWeights sets the grid's weights to the least-squares fit of the pixels' weights.
func (e *encoder) shrinkWeights(g *grid, at *[cells]float32) {
	rows := &e.work.rows // sums by grid column and pixel row
	n, high := e.size.W, e.size.H
	for y := range high {
		row := at[y*n : y*n+n]
		for i := range g.across {
			sum := float32(0)
			for x, v := range row {
				sum += float32(v * g.x.fit[i&15][x&15])
			}
			rows[i&15][y&15] = sum
		}
	}
	k := 0
	for j := range g.down {
		for i := range g.across {
			sum := float32(0)
			for y, v := range rows[i&15][:high] {
				sum += float32(v * g.y.fit[j&15][y&15])
			}
			e.work.ideal[k&63] = sum
			k++
		}
	}
}

// descendWeights changes each weight in turn to the value with the smallest squared error.
func (e *encoder) descendWeights(g *grid, p *plan, plane int, at *[cells]float32, h *hypothesis) {
	t := &e.work
	ranked := weights[p.span].ranked
	values, ranks := &t.grid[plane], &t.rank[plane]
	n := g.across * g.down
	left := &t.left
	for i := range e.pixels {
		at4, share := &g.infill.at[i], &g.infill.share[i]
		sum := int32(0)
		for k := range at4 {
			sum += int32(values[at4[k]&63]) * int32(share[k])
		}
		left[i&255] = at[i&255] - float32(float32(sum)*(1.0/1024))
	}
	for range e.effort.passes {
		moved := false
		for w := range n {
			touched := g.touched[g.first[w]:g.first[w+1]]
			sum, inverse := float32(0), g.inverse[w]
			if h.parts == 1 {
				for k := range touched {
					sum += float32(left[touched[k].pixel&255] * touched[k].share)
				}
			} else { // equal changes of weight cause larger errors on longer lines
				all := float32(0)
				for k := range touched {
					i := touched[k].pixel & 255
					share := float32(touched[k].share * t.length[h.part[i]&3])
					sum += float32(left[i] * share)
					all += float32(touched[k].share * share)
				}
				if all > 0 {
					inverse = 1 / all
				}
			}
			v := float32(float32(values[w])*(1.0/64)) + float32(sum*inverse)
			r := rankOf(p.span, max(0, min(v, 1)))
			if r == ranks[w] {
				continue
			}
			moved = true
			change := float32(float32(int32(values[w])-int32(ranked[r])) * (1.0 / 64))
			ranks[w] = r
			values[w] = ranked[r]
			for k := range touched {
				left[touched[k].pixel&255] += float32(change * touched[k].share)
			}
		}
		if !moved {
			break
		}
	}
}

// measureTrial returns the squared error of the trial's encoding, with alpha weighted.
func (e *encoder) measureTrial(h *hypothesis) (sse int64) {
	t := &e.work
	var base, d [4][4]int32
	for part := range h.parts {
		for c := range 4 {
			base[part][c], d[part][c] = t.ends[part][0][c]<<6+32, t.ends[part][1][c]-t.ends[part][0][c]
		}
	}
	sum := int32(0)
	if h.dual {
		var second [4]int32
		second[h.component&3] = -1
		for i := range e.pixels {
			w, u := t.pixel[0][i&255], t.pixel[1][i&255]
			q := &e.px[i&255]
			for c := range 4 {
				v := w&^second[c] | u&second[c]
				x := (base[0][c]+d[0][c]*v)>>6 - q[c]
				sum += x * x
				if c == 3 {
					sum += x * x * (e.alphaWeight - 1)
				}
			}
		}
		return int64(sum)
	}
	for i := range e.pixels {
		part := h.part[i&255] & 3
		w := t.pixel[0][i&255]
		q, b, v := &e.px[i&255], &base[part], &d[part]
		x, y := (b[0]+v[0]*w)>>6-q[0], (b[1]+v[1]*w)>>6-q[1]
		z, a := (b[2]+v[2]*w)>>6-q[2], (b[3]+v[3]*w)>>6-q[3]
		sum += x*x + y*y + (z*z + a*a*e.alphaWeight)
	}
	return int64(sum)
}
