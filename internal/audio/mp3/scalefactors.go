package mp3

// readFactors reads the scale factors of a granule: one for each band except the last one, or the
// last of each window.
func (s *sideInfo) readFactors(r *bitReader, h header, gr, ch int) {
	g := &s.granules[gr][ch]
	if h.version() == 3 {
		s.readFactors1(r, gr, ch)
		return
	}
	g.readFactors2(r, h.intensity() && ch == 1)
}

// readFactors1 reads factors of MPEG 1 (2.4.2.7): two widths, and a second granule that may reuse
// factors of the first.
func (s *sideInfo) readFactors1(r *bitReader, gr, ch int) {
	g := &s.granules[gr][ch]
	low := [16]int{0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4}[g.compress]
	high := [16]int{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3}[g.compress]
	if g.block == shortBlock {
		lows, all := 18, 36 // of three windows
		if g.mixed {
			lows, all = 17, 35 // 8 long bands, then short ones from the fourth on
		}
		for i := range all {
			width := high
			if i < lows {
				width = low
			}
			g.factors[i] = r.bits(width)
		}
		return
	}
	groups := [5]int{0, 6, 11, 16, 21}
	for k := range 4 {
		width := low
		if k >= 2 {
			width = high
		}
		for i := groups[k]; i < groups[k+1]; i++ {
			if gr == 1 && s.shared[ch]>>(3-k)&1 != 0 {
				g.factors[i] = s.granules[0][ch].factors[i]
			} else {
				g.factors[i] = r.bits(width)
			}
		}
	}
}

// partitions are the numbers of MPEG 2 factors with the same width: for long, short and mixed
// blocks (ISO/IEC 13818-3, 2.4.3.2).
var partitions = [6][3][4]int{
	{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
	{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
	{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
	{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
	{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
	{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
}

// readFactors2 reads factors of MPEG 2: four widths for four partitions. The right channel of
// intensity stereo has different partitions.
func (g *granule) readFactors2(r *bitReader, position bool) {
	var widths [4]int
	kind := 0
	switch c := g.compress; {
	case position && c>>1 < 180:
		c >>= 1
		kind, widths = 3, [4]int{c / 36, c % 36 / 6, c % 6, 0}
	case position && c>>1 < 244:
		c = c>>1 - 180
		kind, widths = 4, [4]int{c >> 4, c >> 2 & 3, c & 3, 0}
	case position:
		c = c>>1 - 244
		kind, widths = 5, [4]int{c / 3, c % 3, 0, 0}
	case c < 400:
		widths = [4]int{c >> 4 / 5, c >> 4 % 5, c >> 2 & 3, c & 3}
	case c < 500:
		c -= 400
		kind, widths = 1, [4]int{c >> 2 / 5, c >> 2 % 5, c & 3, 0}
	default:
		c -= 500
		kind, widths = 2, [4]int{c / 3, c % 3, 0, 0}
		g.preflag = true
	}
	shape := 0
	if g.block == shortBlock {
		if shape = 1; g.mixed {
			shape = 2
		}
	}
	i := 0
	for k, n := range partitions[kind][shape] {
		for range n {
			g.factors[i], g.widths[i] = r.bits(widths[k]), widths[k]
			i++
		}
	}
}
