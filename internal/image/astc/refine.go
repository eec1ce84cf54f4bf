package astc

// refineBest refits the endpoints and weights of the best encoding to each other, as long as this
// reduces the error.
func (e *encoder) refineBest() {
	h, p := e.planOf(&e.best)
	e.loadWeights(&e.best, &p)
	t := &e.work
	for range e.effort.refits {
		kinds, _ := e.roundEnds(h, &p)
		for k := range h.planes() {
			e.placeOnLines(h, k, &t.at)
			e.settleWeights(e.grids[p.grid], &p, k, &t.at, h)
		}
		sse := e.measureTrial(h)
		if sse >= e.sse {
			break
		}
		e.sse = sse
		e.keepTrial(h, &p, kinds)
	}
}

// planOf returns the hypothesis and the plan of a code. It does not set the positions of pixels.
func (e *encoder) planOf(c *code) (h *hypothesis, p plan) {
	h = &e.hypotheses[0]
	h.shape = shape{parts: int(c.parts), dual: c.dual}
	h.component, h.seed = c.component, c.seed
	for part, kind := range c.kinds[:c.parts] {
		if kind == kindRGBOffset || kind == kindRGBAOffset {
			kind-- // roundEnds selects offsets again if they are better
		}
		h.kinds[part] = kind
		h.mixed = h.mixed || kind != h.kinds[0]
	}
	if c.parts > 1 {
		for i := range e.pixels {
			h.part[i] = uint8(Partition(int(c.seed), i%e.size.W, i/e.size.W, int(c.parts), e.size.isSmall()))
		}
	} else {
		clear(h.part[:e.pixels])
	}
	grid := (c.down-2)*(e.size.W-1) + c.across - 2
	return h, plan{layout: c.layout, mode: c.mode, colorSpan: c.colorSpan, grid: uint8(grid)}
}

// loadWeights sets the weights of the trial to the weights of a code.
func (e *encoder) loadWeights(c *code, p *plan) {
	t, infill := &e.work, e.grids[p.grid].infill
	planes := 1
	if c.dual {
		planes = 2
	}
	for i, w := range c.weight[:c.weights()] {
		t.grid[i%planes][i/planes] = weights[c.span].value[w]
	}
	for k := range planes {
		for i := range e.pixels {
			t.pixel[k][i] = infill.pixelWeight(i, &t.grid[k])
		}
	}
}
