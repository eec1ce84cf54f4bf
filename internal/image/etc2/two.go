package etc2

// tryTwoColors tries the T and H modes. It splits the pixels into two groups, and refines each way
// to assign the groups to the colors of a block.
func (e *encoder) tryTwoColors() {
	var groups [2]group
	e.splitInGroups(&groups)
	if groups[0].n == 0 || groups[1].n == 0 {
		return
	}
	e.refineGroups(shapeH, &groups[0], &groups[1])
	e.refineGroups(shapeT, &groups[0], &groups[1])
	e.refineGroups(shapeT, &groups[1], &groups[0])
}

// A group holds the number of pixels in a group, and the sums of their colors.
type group struct {
	sum [3]int32
	n   int32
}

// groupMean returns the mean color in 16ths.
func (g *group) groupMean() (m [3]int32) {
	for k := range m {
		m[k] = 16 * g.sum[k] / max(1, g.n)
	}
	return m
}

// splitInGroups assigns each pixel to the nearer of two colors. At first, the colors are the pixel
// farthest from the mean and the pixel farthest from that pixel. Then they are the means of the
// groups.
func (e *encoder) splitInGroups(groups *[2]group) {
	var centers [2][3]int32
	mean := group{sum: e.px.all, n: 16}
	from := mean.groupMean()
	for i := range centers {
		far := int32(-1)
		for j := range e.px.pix {
			if d := distanceInSixteenths(&e.px.pix[j], &from); d > far {
				far = d
				centers[i] = e.px.pix[j]
			}
		}
		for k := range 3 {
			centers[i][k] *= 16
		}
		from = centers[i]
	}
	last := uint32(1 << 31)
	for range 4 {
		*groups = [2]group{}
		sides := uint32(0)
		for i := range e.px.pix {
			p := &e.px.pix[i]
			side := uint32(0)
			if distanceInSixteenths(p, &centers[1]) < distanceInSixteenths(p, &centers[0]) {
				side = 1
			}
			sides |= side << i
			g := &groups[side]
			g.n++
			for k := range 3 {
				g.sum[k] += p[k]
			}
		}
		if sides == last {
			return
		}
		last = sides
		centers = [2][3]int32{groups[0].groupMean(), groups[1].groupMean()}
	}
}

// distanceInSixteenths returns the squared distance between a pixel and a color in 16ths.
func distanceInSixteenths(p, c *[3]int32) int32 {
	r, g, b := 16*p[0]-c[0], 16*p[1]-c[1], 16*p[2]-c[2]
	return r*r + g*g + b*b
}

// refineGroups searches colors and a distance for two groups.
func (e *encoder) refineGroups(m mode, one, two *group) {
	c := code{mode: m}
	for k := range 3 {
		c.base[0][k] = scaledNearest(one.sum[k], 255*one.n, 15)
		c.base[1][k] = scaledNearest(two.sum[k], 255*two.n, 15)
	}
	least := e.widest(&c, 1<<30)
	for range 4 {
		next := c
		e.recenter(&next)
		if next.base == c.base {
			break
		}
		sse := e.widest(&next, least)
		if sse >= least {
			break
		}
		c, least = next, sse
	}
	if e.effort.nudge && least < e.sse*2 {
		least = e.nudgeTwo(&c, least)
	}
	e.keepIfBetter(&c, least)
}

// widest tries all distances and keeps the best one if its error is below limit.
func (e *encoder) widest(c *code, limit int32) int32 {
	found := *c
	worse := 0
	for d := range uint8(8) {
		next := *c
		next.distance = d
		sse := e.indexTwo(&next, limit)
		if sse < limit {
			found, limit, worse = next, sse, 0
		} else if worse++; worse == 3 {
			break
		}
	}
	*c = found
	return limit
}

// indexTwo chooses the indices of a T or H block and returns its error. It stops early with a
// partial sum if this sum reaches limit. An H block with two equal colors can store only odd
// distances.
func (e *encoder) indexTwo(c *code, limit int32) (sse int32) {
	if c.mode == shapeH && c.base[0] == c.base[1] && c.distance&1 == 0 {
		return limit
	}
	p := twoPaints(c.mode, c.base[0], c.base[1], c.distance)
	c.index = 0
	for i := range e.px.pix {
		k, d := choosePaint(&e.px.pix[i], &p)
		c.index |= spread[k] << i
		if sse += d; sse >= limit {
			return sse
		}
	}
	return sse
}

// recenter sets the best colors for the current indices. It ignores that colors are clamped.
func (e *encoder) recenter(c *code) {
	d := distances[c.distance&7]
	offsets := [4]int32{d, -d, d, -d}
	group := [4]int{0, 0, 1, 1}
	if c.mode == shapeT {
		offsets = [4]int32{0, d, 0, -d}
		group = [4]int{0, 1, 1, 1}
	}
	var sum [2][3]int32
	var n [2]int32
	for i := range e.px.pix {
		k := c.index>>i&1 | c.index>>(16+i)&1<<1
		g := group[k&3]
		n[g]++
		for j := range 3 {
			sum[g][j] += e.px.pix[i][j] - offsets[k&3]
		}
	}
	for g := range n {
		if n[g] == 0 {
			continue
		}
		for j := range 3 {
			c.base[g][j] = scaledNearest(sum[g][j], 255*n[g], 15)
		}
	}
}

// nudgeTwo changes channels of the colors and the distance by one step at a time, as long as this
// reduces the error.
func (e *encoder) nudgeTwo(c *code, least int32) int32 {
	for better := true; better; {
		better = false
		for at := range 14 {
			next := *c
			step := uint8(at&1*2) - 1
			if at < 12 {
				v := &next.base[at/6][at/2%3]
				if *v += step; *v > 15 {
					continue
				}
			} else if next.distance += step; next.distance > 7 {
				continue
			}
			if sse := e.indexTwo(&next, least); sse < least {
				*c, least, better = next, sse, true
			}
		}
	}
	return least
}
