package mp3

// A sideInfo describes the encoding of a frame's granules (2.4.1.7 of both ISO/IEC 11172-3 and
// 13818-3).
type sideInfo struct {
	begin    int    // distance in bytes from the start of the main data to the frame
	shared   [2]int // bit mask of the scale factor groups that the second granule reuses, for each channel
	granules [2][2]granule
}

// A granule is half a frame of MPEG 1, or a frame of MPEG 2, for one channel.
type granule struct {
	length    int // length of the main data in bits
	bigValues int // number of pairs
	gain      int
	compress  int // encoding of the scale factors
	switched  bool
	block     int  // block type: 0 long, 1 start, 2 short, 3 stop
	mixed     bool // set if the lowest two subbands use long blocks
	tables    [3]int
	subGain   [3]int // gain of each window of a short block
	regions   [2]int // number of bands in each region
	preflag   bool
	coarse    bool // set if scale factors have steps of twice the size
	quadTable int
	factors   [39]int
	widths    [39]int // widths of the scale factors for intensity stereo in MPEG 2
	bands     []band
	spectrum  [576]float64
}

const shortBlock = 2

// readSideInfo reads the side info of a frame into s. bands must match the stream's rate.
func (s *sideInfo) readSideInfo(r *bitReader, h header, bands *layouts) {
	*s = sideInfo{}
	channels := h.channelCount()
	if h.versionCode() == 3 {
		s.begin = r.bits(9)
		r.bits(7 - 2*channels) // skip the private bits
		for ch := range channels {
			s.shared[ch] = r.bits(4)
		}
	} else {
		s.begin = r.bits(8)
		r.bits(channels)
	}
	for gr := range h.samplesPerFrame() / 576 {
		for ch := range channels {
			s.granules[gr][ch].readGranule(r, h, bands)
		}
	}
}

func (g *granule) readGranule(r *bitReader, h header, bands *layouts) {
	g.length = r.bits(12)
	g.bigValues = min(r.bits(9), 288)
	g.gain = r.bits(8)
	if h.versionCode() == 3 {
		g.compress = r.bits(4)
	} else {
		g.compress = r.bits(9)
	}
	if g.switched = r.readBit(); g.switched {
		g.block = r.bits(2)
		g.mixed = r.readBit()
		g.tables[0], g.tables[1] = r.bits(5), r.bits(5)
		for i := range g.subGain {
			g.subGain[i] = r.bits(3)
		}
	} else {
		for i := range g.tables {
			g.tables[i] = r.bits(5)
		}
		g.regions = [2]int{r.bits(4), r.bits(3)}
	}
	if h.versionCode() == 3 {
		g.preflag = r.readBit()
	}
	g.coarse = r.readBit()
	g.quadTable = 32 + r.bits(1)
	switch {
	case g.block != shortBlock:
		g.bands = bands.long
	case g.mixed:
		g.bands = bands.mixed
	default:
		g.bands = bands.short
	}
}

// regionEnds returns the ends of the first and of the second region of a granule, as line numbers.
func (g *granule) regionEnds(rate int) (int, int) {
	bands := bandsAt(rate)
	switch {
	case g.block == shortBlock:
		return 3 * bands.short[3], 576
	case g.switched:
		return bands.long[8], 576
	}
	first := min(g.regions[0]+1, 22)
	return bands.long[first], bands.long[min(first+g.regions[1]+1, 22)]
}

// A band is a range of lines with the same scale factor.
type band struct {
	start, end int
	window     int // window of a short block; -1 for long blocks
	pre        int // added to the scale factor if preflag is set
}

// layouts are the bands of each block type, in stream order: for short blocks, the three windows of
// each band.
type layouts struct{ long, short, mixed []band }

func newBandLayouts(rate int) *layouts {
	return &layouts{bandsOf(rate, false, false), bandsOf(rate, true, false), bandsOf(rate, true, true)}
}

func bandsOf(rate int, short, mixed bool) []band {
	var bands []band
	long, narrow := bandsAt(rate).long, bandsAt(rate).short
	pre := [22]int{11: 1, 1, 1, 1, 2, 2, 3, 3, 3, 2}
	first := 0
	if !short || mixed {
		count := 22
		if mixed {
			first, count = 3, 6 // the short blocks start at line 36, except at 8 kHz
			if rate >= 32000 {
				count = 8
			}
		}
		for i := range count {
			bands = append(bands, band{long[i], long[i+1], -1, pre[i]})
		}
	}
	if short {
		for i := first; i < 13; i++ {
			width := narrow[i+1] - narrow[i]
			for w := range 3 {
				start := 3*narrow[i] + w*width
				bands = append(bands, band{start, start + width, w, 0})
			}
		}
	}
	return bands
}

// readFactors reads the scale factors of a granule. The last band of a granule, or of each window,
// has no scale factor.
func (s *sideInfo) readFactors(r *bitReader, h header, gr, ch int) {
	g := &s.granules[gr][ch]
	if h.versionCode() == 3 {
		s.readFactors1(r, gr, ch)
		return
	}
	g.readFactors2(r, h.intensity() && ch == 1)
}

// readFactors1 reads MPEG 1 scale factors (2.4.2.7): they have two widths, and a second granule may
// reuse factors of the first.
func (s *sideInfo) readFactors1(r *bitReader, gr, ch int) {
	g := &s.granules[gr][ch]
	low := [16]int{0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4}[g.compress]
	high := [16]int{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3}[g.compress]
	if g.block == shortBlock {
		lows, all := 18, 36 // number of factors in short blocks with three windows
		if g.mixed {
			lows, all = 17, 35 // mixed blocks have 8 long bands, then short bands starting with the fourth
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

// partitions are the numbers of MPEG 2 scale factors in each of four partitions, for long, short
// and mixed blocks (ISO/IEC 13818-3, 2.4.3.2).
var partitions = [6][3][4]int{
	{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
	{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
	{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
	{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
	{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
	{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
}

// readFactors2 reads MPEG 2 scale factors. They have four widths, one for each of four partitions.
// The right channel of intensity stereo has different partitions.
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
