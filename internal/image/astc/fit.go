package astc

// A fit holds the least-squares sums that determine the best endpoints for given weights. The
// squared error of endpoints e0 and e1 in a channel is aa*e0^2 + 2*ab*e0*e1 + bb*e1^2 - 2*(a*e0 +
// b*e1), plus a constant. The stored sums are 64^2 times larger, because weights range from 0 to
// 64.
type fit struct {
	aa, ab, bb [4]int64
	a, b       [4]int64
	mean       [4]float32
	ends       [2][4]float32 // the endpoints with the smallest error, before quantization
	brightest  int32         // largest endpoint value of high dynamic range
}

// fitWeights returns one fit for each part, for the current weights of the trial.
func (e *encoder) fitWeights(h *hypothesis) (fits [4]fit) {
	t := &e.work
	var sums [4]struct {
		n, w1, w2 int32
		p, wp     [4]int32
	}
	for i := range e.pixels {
		s := &sums[h.part[i&255]&3]
		w := t.pixel[0][i&255]
		q := &e.px[i&255]
		s.n++
		s.w1 += w
		s.w2 += w * w
		s.p[0] += q[0]
		s.p[1] += q[1]
		s.p[2] += q[2]
		s.p[3] += q[3]
		s.wp[0] += w * q[0]
		s.wp[1] += w * q[1]
		s.wp[2] += w * q[2]
		s.wp[3] += w * q[3]
	}
	brightest := int32(maxLight)
	if e.universal {
		brightest = maxFinite
	}
	for part := range h.parts {
		s := &sums[part]
		fits[part].brightest = brightest
		for c := range 4 {
			fits[part].setSums(c, s.n, s.w1, s.w2, s.p[c], s.wp[c])
		}
	}
	if h.dual {
		c := h.component & 3
		var w1, w2, wp int32
		for i := range e.pixels {
			w := t.pixel[1][i&255]
			w1 += w
			w2 += w * w
			wp += w * e.px[i&255][c]
		}
		fits[0].setSums(int(c), sums[0].n, w1, w2, sums[0].p[c], wp)
	}
	if k := int64(e.alphaWeight); k != 1 {
		for part := range h.parts {
			f := &fits[part]
			f.aa[3], f.ab[3], f.bb[3] = k*f.aa[3], k*f.ab[3], k*f.bb[3]
			f.a[3], f.b[3] = k*f.a[3], k*f.b[3]
		}
	}
	return fits
}

// setSums sets the sums of a channel. n is the number of pixels; the other parameters are sums of
// weights, squared weights, values, and weights times values.
func (f *fit) setSums(c int, n, w1, w2, p, wp int32) {
	f.aa[c] = int64(4096*n - 128*w1 + w2)
	f.ab[c] = int64(64*w1 - w2)
	f.bb[c] = int64(w2)
	f.a[c] = int64(64*p-wp) * 64
	f.b[c] = int64(wp) * 64
	f.mean[c] = float32(p) / float32(max(n, 1))
}

// solveEnds sets ends to the endpoints with the smallest error.
func (f *fit) solveEnds() {
	for c := range 4 {
		det := f.aa[c]*f.bb[c] - f.ab[c]*f.ab[c]
		if det == 0 {
			f.ends[0][c], f.ends[1][c] = f.mean[c], f.mean[c]
			continue
		}
		scale := 1 / float64(det)
		f.ends[0][c] = float32(float64(f.a[c]*f.bb[c]-f.b[c]*f.ab[c]) * scale)
		f.ends[1][c] = float32(float64(f.b[c]*f.aa[c]-f.a[c]*f.ab[c]) * scale)
	}
}

// channelLoss returns the squared error of two endpoints in a channel, up to an additive constant.
func (f *fit) channelLoss(c int, from, to int64) int64 {
	return f.aa[c]*from*from + 2*f.ab[c]*from*to + f.bb[c]*to*to - 2*(f.a[c]*from+f.b[c]*to)
}

// ranksAround returns the ranks of the quantized values just below and just above v.
func ranksAround(span int, v float32) (low, high uint8) {
	n := &neighbors[span]
	i := int32(max(0, min(v, 255)))
	return n.low[i], n.high[i]
}

// neighbors holds, for each interval from i to i+1, the ranks of the nearest quantized values.
var neighbors [len(spans)]struct{ low, high [256]uint8 }

func findNeighbors() {
	for span := colorSpan; span < len(spans); span++ {
		ranked := colors[span].ranked
		for i := range 256 {
			low := 0
			for low+1 < len(ranked) && int(ranked[low+1]) <= i {
				low++
			}
			neighbors[span].low[i] = uint8(low)
			neighbors[span].high[i] = uint8(min(low+1, len(ranked)-1))
		}
	}
}

// roundChannel quantizes the endpoints of a channel to the ranks with the smallest error. It
// returns this error, up to an additive constant.
func (f *fit) roundChannel(c, span int) (from, to uint8, least int64) {
	ranked := colors[span].ranked
	low0, high0 := ranksAround(span, f.ends[0][c])
	low1, high1 := ranksAround(span, f.ends[1][c])
	least = 1 << 62
	for _, x := range [2]uint8{low0, high0} {
		for _, y := range [2]uint8{low1, high1} {
			if l := f.channelLoss(c, int64(ranked[x]), int64(ranked[y])); l < least {
				least, from, to = l, x, y
			}
		}
	}
	return from, to, least
}

// roundByKind quantizes the endpoints for an endpoint mode and stores the codes. It returns the
// error, up to an additive constant.
func (f *fit) roundByKind(kind uint8, span int, stored []uint8) (p pair, loss int64) {
	switch kind {
	case kindGray, kindGrayAlpha:
		return f.roundGray(kind, span, stored)
	case kindRGBScale, kindRGBScaleAlpha:
		return f.roundScale(kind, span, stored)
	case kindRGBOffset, kindRGBAOffset:
		return f.roundOffset(span, stored)
	case kindLightRange:
		return f.roundLightRange(span, stored)
	case kindLightDetail:
		return f.roundLightDetail(span, stored)
	case kindLightShift:
		return f.roundLightShift(span, stored)
	case kindLight:
		return f.roundLight(span, stored)
	}
	return f.roundDirect(span, stored)
}

// roundGray is roundByKind for endpoints whose red, green and blue are equal.
func (f *fit) roundGray(kind uint8, span int, stored []uint8) (p pair, loss int64) {
	scale := &colors[span]
	// The sums of the three equal channels are added into one fit.
	g := fit{}
	g.aa[0], g.ab[0], g.bb[0] = 3*f.aa[0], 3*f.ab[0], 3*f.bb[0]
	g.a[0], g.b[0] = f.a[0]+f.a[1]+f.a[2], f.b[0]+f.b[1]+f.b[2]
	for i := range g.ends {
		g.ends[i][0] = (f.ends[i][0] + f.ends[i][1] + f.ends[i][2]) / 3
	}
	x, y, loss := g.roundChannel(0, span)
	stored[0], stored[1] = scale.sorted[x], scale.sorted[y]
	a, b := int32(scale.ranked[x]), int32(scale.ranked[y])
	p = pair{{a, a, a, 255}, {b, b, b, 255}}
	if kind == kindGrayAlpha {
		x, y, l := f.roundChannel(3, span)
		stored[2], stored[3] = scale.sorted[x], scale.sorted[y]
		p[0][3], p[1][3] = int32(scale.ranked[x]), int32(scale.ranked[y])
		loss += l
	}
	return p, loss
}

// roundDirect is roundByKind for modes that store each channel of each endpoint.
func (f *fit) roundDirect(span int, stored []uint8) (p pair, loss int64) {
	scale := &colors[span]
	n := len(stored) / 2
	p[0][3], p[1][3] = 255, 255
	for c := range n {
		x, y, l := f.roundChannel(c, span)
		stored[2*c], stored[2*c+1] = scale.sorted[x], scale.sorted[y]
		p[0][c], p[1][c] = int32(scale.ranked[x]), int32(scale.ranked[y])
		loss += l
	}
	if p[1][0]+p[1][1]+p[1][2] < p[0][0]+p[0][1]+p[0][2] { // the decoder would apply blue contraction
		p[0], p[1] = p[1], p[0]
		for c := range n {
			stored[2*c], stored[2*c+1] = stored[2*c+1], stored[2*c]
		}
	}
	return p, loss
}

// roundScale is roundByKind for modes whose first endpoint is a multiple of the second.
func (f *fit) roundScale(kind uint8, span int, stored []uint8) (p pair, loss int64) {
	scale := &colors[span]
	// The dot product of the unquantized endpoints gives an approximate scale.
	e0, e1 := &f.ends[0], &f.ends[1]
	d01 := float32(e0[0]*e1[0]) + float32(e0[1]*e1[1]) + float32(e0[2]*e1[2])
	d11 := float32(e1[0]*e1[0]) + float32(e1[1]*e1[1]) + float32(e1[2]*e1[2])
	if d11 > 0 {
		d01 = float32(d01*256) / d11
	}
	low, high := ranksAround(span, d01)
	loss = 1 << 62
	for k, r := range [2]uint8{low, high} {
		if k == 1 && high == low {
			break
		}
		s := int64(scale.ranked[r])
		var q pair
		var ranks [3]uint8
		var l int64
		for c := range 3 {
			var least int64
			// In units of 1/256, the best v is (a*s + b) / (aa*s^2 + 2*ab*s + bb).
			over := float64(f.a[c]*s + f.b[c]<<8)
			under := float64(f.aa[c]*s*s + 2*f.ab[c]*s<<8 + f.bb[c]<<16)
			v := float32(0)
			if under > 0 {
				v = float32(over * 256 / under)
			}
			x, y := ranksAround(span, v)
			least = 1 << 62
			for _, r := range [2]uint8{x, y} {
				to := int64(scale.ranked[r])
				from := to * s >> 8
				if l := f.channelLoss(c, from, to); l < least {
					least, ranks[c] = l, r
					q[0][c], q[1][c] = int32(from), int32(to)
				}
			}
			l += least
		}
		if l < loss {
			loss, p = l, q
			for c, r := range ranks {
				stored[c] = scale.sorted[r]
			}
			stored[3] = scale.sorted[r]
		}
	}
	p[0][3], p[1][3] = 255, 255
	if kind == kindRGBScaleAlpha {
		x, y, l := f.roundChannel(3, span)
		stored[4], stored[5] = scale.sorted[x], scale.sorted[y]
		p[0][3], p[1][3] = int32(scale.ranked[x]), int32(scale.ranked[y])
		loss += l
	}
	return p, loss
}

// impossible is the loss of endpoints that cannot be stored. The sum over all parts does not
// overflow.
const impossible = 1 << 60

// roundOffset is roundByKind for modes that store the second endpoint as an offset from the first.
// The loss is impossible if the endpoints are too far apart.
func (f *fit) roundOffset(span int, stored []uint8) (p pair, loss int64) {
	scale := &colors[span]
	n := len(stored) / 2
	p[0][3], p[1][3] = 255, 255
	from, to := &f.ends[0], &f.ends[1]
	if to[0]+to[1]+to[2] < from[0]+from[1]+from[2] {
		return p, impossible
	}
	sum := int32(0)
	for c := range n {
		base := max(0, min(from[c], 255))
		high := int32(base) & 0x80
		// Bits 1 to 7 of the decoded value are the low seven bits of the base.
		x, y := ranksAround(span, float32((base-float32(high))*2))
		least := int64(impossible)
		for _, r := range [2]uint8{x, y} {
			b := int32(scale.ranked[r])>>1 | high
			o := int32(max(-40, min(to[c], 255))-float32(b)+256.5) - 256
			if o < -32 || o > 31 {
				continue
			}
			u, v := ranksAround(span, float32(o&0x3f<<1|high)+0.5)
			for _, q := range [2]uint8{u, v} {
				second := int32(scale.ranked[q])
				if second&0x80 != high {
					continue
				}
				offset, value := transferBit(second, int32(scale.ranked[r]))
				e1 := value + offset
				if e1 < 0 || e1 > 255 {
					continue
				}
				if l := f.channelLoss(c, int64(value), int64(e1)); l < least {
					least = l
					stored[2*c], stored[2*c+1] = scale.sorted[r], scale.sorted[q]
					p[0][c], p[1][c] = value, e1
				}
			}
		}
		if least == impossible {
			return p, impossible
		}
		if c < 3 {
			sum += p[1][c] - p[0][c]
		}
		loss += least
	}
	if sum < 0 {
		return p, impossible
	}
	return p, loss
}
