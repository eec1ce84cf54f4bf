package uastc

import "math"

// forBC1 sets the hints for BC1 of a block that decodes to some pixels: whether its ends
// and indices can be taken as they are, or its indices alone with ends by least squares.
// Without them a transcoder fits a line of its own, which takes longer.
func (h *hints) forBC1(px *[16]point, c *code, l *layout) {
	order := &placesBC1[l.weight]
	var given [16]uint8
	for i := range given {
		given[i] = order[c.index[0][i]]
	}
	var ends [2]color565
	for e := range ends {
		v := l.end(&c.ends[0][e])
		ends[e] = narrow565([3]float64{float64(v[0]), float64(v[1]), float64(v[2])})
	}
	fitted := solve565(px, &given)
	// The transcoder's fit is somewhat better than the one here.
	limit := fit565(px)
	limit -= limit / 16
	h.bc1[0] = errorOf(px, &ends, &given) <= limit
	h.bc1[1] = l.bias && errorOf(px, &fitted, &given) <= limit
}

// fit565 returns the error of a quick fit of BC1, which begins with the pixels that are
// the outermost on the axis.
func fit565(px *[16]point) int32 {
	var m moments
	for i := range px {
		m.add(&px[i])
	}
	s := m.scatter(7)
	v := s.principal()
	d := v.axis()
	least, most := &px[0], &px[0]
	for i := range px {
		if at := d.at(&px[i]); at < d.at(least) {
			least = &px[i]
		} else if at > d.at(most) {
			most = &px[i]
		}
	}
	ends := [2]color565{color565(least[:3]), color565(most[:3])}
	best := int32(math.MaxInt32)
	var places [16]uint8
	for range 2 {
		nearest565(px, &ends, &places)
		ends = solve565(px, &places)
		nearest565(px, &ends, &places)
		best = min(best, errorOf(px, &ends, &places))
	}
	return best
}

// placesBC1 has, by the bits of an index, the third of the way between BC1's ends that a
// transcoder takes for it.
//
// Source: "UASTC LDR 4x4 Texture Specification", transcoding to BC1.
var placesBC1 = [6][32]uint8{
	1: {0, 3},
	2: {0, 1, 2, 3},
	3: {0, 0, 1, 1, 2, 2, 3, 3},
	4: {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3},
	5: {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3},
}

// A color565 is a color of BC1, widened to bytes.
type color565 [3]int32

func narrow565(v [3]float64) (c color565) {
	for i, x := range v {
		top, down := int32(31), 2
		if i == 1 {
			top, down = 63, 4
		}
		s := max(0, min(int32(float64(x*(float64(top)/255))+0.5), top))
		if i == 1 {
			c[i] = s<<2 | s>>down
		} else {
			c[i] = s<<3 | s>>down
		}
	}
	return c
}

// errorOf is the squared error of pixels at thirds of the way between ends.
func errorOf(px *[16]point, ends *[2]color565, places *[16]uint8) (sse int32) {
	for i := range px {
		t := int32(places[i])
		for c := range 3 {
			off := px[i][c] - (ends[0][c]*(3-t)+ends[1][c]*t)/3
			sse += off * off
		}
	}
	return sse
}

// nearest565 sets the thirds that are nearest to pixels.
func nearest565(px *[16]point, ends *[2]color565, places *[16]uint8) {
	var d [3]int32
	for c := range d {
		d[c] = ends[1][c] - ends[0][c]
	}
	length := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
	for i := range px {
		t := (px[i][0]-ends[0][0])*d[0] + (px[i][1]-ends[0][1])*d[1] + (px[i][2]-ends[0][2])*d[2]
		switch {
		case 6*t <= length:
			places[i] = 0
		case 2*t <= length:
			places[i] = 1
		case 6*t <= 5*length:
			places[i] = 2
		default:
			places[i] = 3
		}
	}
}

// solve565 returns the ends that suit pixels at thirds of the way best.
func solve565(px *[16]point, places *[16]uint8) (ends [2]color565) {
	var n, w, ww int32
	var sum, weighed [3]int32
	for i := range px {
		t := int32(places[i])
		n, w, ww = n+1, w+t, ww+t*t
		for c := range 3 {
			sum[c] += px[i][c]
			weighed[c] += t * px[i][c]
		}
	}
	a, b := 9*n-6*w+ww, 3*w-ww
	det := a*ww - b*b
	var u, v [3]float64
	for c := range 3 {
		if det == 0 {
			u[c] = float64(sum[c]) / float64(n)
			v[c] = u[c]
			continue
		}
		y := 3 * weighed[c]
		x := 9*sum[c] - y
		u[c] = float64(x*ww-y*b) / float64(det)
		v[c] = float64(y*a-x*b) / float64(det)
	}
	return [2]color565{narrow565(u), narrow565(v)}
}
