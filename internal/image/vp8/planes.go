package vp8

// A sourceTiles holds a macroblock of the image: 16 tiles of luma, four of Cb, and four of Cr.
type sourceTiles struct {
	luma   [16]tile
	chroma [8]tile
}

// planes holds an image as luma, and as Cb and Cr at half the width and height (BT.601, 16 to 235).
// The last pixels are repeated to fill whole macroblocks.
type planes struct {
	w, h      int // size in macroblocks
	luma      []uint8
	blue, red []uint8
	hidden    []bool // macroblocks without a visible pixel
}

// separate converts RGBA pixels, w by h, to planes. If byAlpha is set, alpha means transparency,
// and chroma is averaged with alpha as the weight.
func separate(pix []uint8, w, h int, byAlpha bool) *planes {
	p := &planes{w: (w + 15) / 16, h: (h + 15) / 16}
	p.luma = make([]uint8, 256*p.w*p.h)
	p.blue, p.red = make([]uint8, 64*p.w*p.h), make([]uint8, 64*p.w*p.h)
	p.hidden = make([]bool, p.w*p.h)
	for i := range p.hidden {
		p.hidden[i] = byAlpha
	}
	at := func(x, y int) []uint8 { return pix[4*(min(y, h-1)*w+min(x, w-1)):][:4] }
	stride := 16 * p.w
	for y := 0; y < 16*p.h; y += 2 {
		for x := 0; x < stride; x += 2 {
			var sum [3]int64
			total := int64(0)
			for i := range 4 {
				c := at(x+i&1, y+i>>1)
				p.luma[(y+i>>1)*stride+x+i&1] = uint8((16839*int(c[0]) + 33059*int(c[1]) + 6420*int(c[2]) + 16<<16 + 1<<15) >> 16)
				weight := int64(1)
				if byAlpha {
					if weight = int64(c[3]); weight > 0 {
						p.hidden[y/16*p.w+x/16] = false
					}
				}
				total += weight
				for j := range sum {
					sum[j] += weight * int64(c[j])
				}
			}
			if total == 0 { // no pixel is visible
				c := at(x, y)
				sum, total = [3]int64{int64(c[0]), int64(c[1]), int64(c[2])}, 1
			}
			i := y/2*stride/2 + x/2
			p.blue[i] = differencePixel(-9719*sum[0]-19081*sum[1]+28800*sum[2], total)
			p.red[i] = differencePixel(28800*sum[0]-24116*sum[1]-4684*sum[2], total)
		}
	}
	if byAlpha {
		p.coverHidden(func(x, y int) bool { return at(x, y)[3] == 0 })
	}
	return p
}

// coverHidden replaces hidden pixels by the mean of the visible pixels in the same square of 8 by 8
// pixels, or in the macroblock. Edges between hidden and visible colors would take space.
func (p *planes) coverHidden(hidden func(x, y int) bool) {
	for i, all := range p.hidden {
		if all {
			continue
		}
		left, top := 16*(i%p.w), 16*(i/p.w)
		var luma, blue, red square
		for n := range 256 {
			x, y := left+n%16, top+n/16
			luma.addPixel(n%16/8+n/128*2, p.luma, y*16*p.w+x, hidden(x, y))
		}
		for n := range 64 {
			x, y := left+n%8*2, top+n/8*2
			at, part := y/2*8*p.w+x/2, n%8/4+n/32*2
			all := hidden(x, y) && hidden(x+1, y) && hidden(x, y+1) && hidden(x+1, y+1)
			blue.addPixel(part, p.blue, at, all)
			red.addPixel(part, p.red, at, all)
		}
		luma.cover(p.luma)
		blue.cover(p.blue)
		red.cover(p.red)
	}
}

// A square collects the pixels of a macroblock in one plane, separately for each quarter.
type square struct {
	sum, count [4]int
	hidden     [4][]int // indexes of hidden pixels in the plane
}

func (s *square) addPixel(quarter int, plane []uint8, at int, hidden bool) {
	if hidden {
		s.hidden[quarter] = append(s.hidden[quarter], at)
		return
	}
	s.sum[quarter] += int(plane[at])
	s.count[quarter]++
}

// cover overwrites the hidden pixels with the means.
func (s *square) cover(plane []uint8) {
	sum, count := 0, 0
	for i := range s.sum {
		sum, count = sum+s.sum[i], count+s.count[i]
	}
	for i, hidden := range s.hidden {
		of, n := sum, count
		if s.count[i] > 0 {
			of, n = s.sum[i], s.count[i]
		}
		for _, at := range hidden {
			plane[at] = uint8((of + n/2) / n)
		}
	}
}

// differencePixel returns Cb or Cr as a pixel, from a sum with the given total weight.
func differencePixel(sum, total int64) uint8 {
	unit := total << 16
	return clampPixel(int32((sum + 128*unit + unit/2) / unit))
}

// load returns the pixels of a macroblock.
func (p *planes) load(x, y int, out *sourceTiles) {
	for i := range out.luma {
		copyTile(&out.luma[i], p.luma, 16*p.w, 16*x+i%4*4, 16*y+i/4*4)
	}
	for i := range 4 {
		copyTile(&out.chroma[i], p.blue, 8*p.w, 8*x+i%2*4, 8*y+i/2*4)
		copyTile(&out.chroma[4+i], p.red, 8*p.w, 8*x+i%2*4, 8*y+i/2*4)
	}
}

func copyTile(t *tile, plane []uint8, stride, x, y int) {
	for row := range 4 {
		copy(t[4*row:][:4], plane[(y+row)*stride+x:])
	}
}
