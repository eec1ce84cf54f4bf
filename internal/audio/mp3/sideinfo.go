package mp3

// A sideInfo describes the encoding of a frame's granules (2.4.1.7 of ISO/IEC 11172-3, 2.4.1.7 of
// 13818-3).
type sideInfo struct {
	begin    int    // bytes before the frame where its main data start
	shared   [2]int // per channel, which factors the second granule reuses
	granules [2][2]granule
}

// A granule is half a frame of MPEG 1, or a frame of MPEG 2, of one channel.
type granule struct {
	length    int // of its main data, in bits
	bigValues int // pairs
	gain      int
	compress  int // the encoding of the scale factors
	switched  bool
	block     int  // 0: long, 1: start, 2: short, 3: stop
	mixed     bool // the lowest two subbands are long
	tables    [3]int
	subGain   [3]int // of the windows of a short block
	regions   [2]int // in bands
	preflag   bool
	coarse    bool // scale factor steps are twice as large
	quadTable int
	factors   [39]int
	widths    [39]int // of the factors, in bits, for intensity stereo of MPEG 2
	bands     []band
	spectrum  [576]float64
}

const shortBlock = 2

// readSideInfo reads the side info of a frame into s, with the bands of the stream.
func (s *sideInfo) readSideInfo(r *bitReader, h header, bands *layouts) {
	*s = sideInfo{}
	channels := h.channels()
	if h.version() == 3 {
		s.begin = r.bits(9)
		r.bits(7 - 2*channels) // private
		for ch := range channels {
			s.shared[ch] = r.bits(4)
		}
	} else {
		s.begin = r.bits(8)
		r.bits(channels)
	}
	for gr := range h.samples() / 576 {
		for ch := range channels {
			s.granules[gr][ch].readGranule(r, h, bands)
		}
	}
}

func (g *granule) readGranule(r *bitReader, h header, bands *layouts) {
	g.length = r.bits(12)
	g.bigValues = min(r.bits(9), 288)
	g.gain = r.bits(8)
	if h.version() == 3 {
		g.compress = r.bits(4)
	} else {
		g.compress = r.bits(9)
	}
	if g.switched = r.bit(); g.switched {
		g.block = r.bits(2)
		g.mixed = r.bit()
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
	if h.version() == 3 {
		g.preflag = r.bit()
	}
	g.coarse = r.bit()
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

// regionEnds returns the ends of the first and the second region of a granule.
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

// A band is a run of lines with one scale factor.
type band struct {
	start, end int
	window     int // of a short block, -1 for long ones
	pre        int // the factor's increase by preflag
}

// layouts are the bands of each kind of block, in the order of the stream: for short blocks, three
// windows of each.
type layouts struct{ long, short, mixed []band }

func newLayouts(rate int) *layouts {
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
			first, count = 3, 6 // 36 lines, except at 8 kHz
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
