package mp3

import (
	"math"
	"slices"
	"testing"
)

// TestTreesHaveAllValues checks that each tree has every pair of values once, and no unused code
// words.
func TestTreesHaveAllValues(t *testing.T) {
	sizes := map[int]int{1: 2, 2: 3, 3: 3, 5: 4, 6: 4, 7: 6, 8: 6, 9: 6, 10: 8, 11: 8, 12: 8, 13: 16, 15: 16, 16: 16, 24: 16}
	for number, text := range trees {
		if text == "" {
			continue
		}
		var one tree
		rest := text
		growTree(&one, &rest)
		if rest != "" {
			t.Errorf("table %d: %q is left", number, rest)
		}
		seen := map[int16]int{}
		for _, node := range one {
			for _, leaf := range node {
				if leaf < 0 {
					seen[^leaf]++
				}
			}
		}
		want := 16
		if n := sizes[number]; n > 0 {
			want = n * n
			for x := range n {
				for y := range n {
					if seen[int16(x<<4|y)] != 1 {
						t.Errorf("table %d: pair %d, %d occurs %d times", number, x, y, seen[int16(x<<4|y)])
					}
				}
			}
		}
		if len(seen) != want || len(one) != want-1 {
			t.Errorf("table %d: %d values, want %d", number, len(seen), want)
		}
	}
	// The first words of table B.7 for table 1: 1 for 0,0; 001 for 0,1; 01 for 1,0; 000 for 1,1,
	// each with its signs.
	r := &bitReader{data: []byte{0b1_001_0_01_1, 0b000_0_1_000}}
	for _, want := range [][2]int{{0, 0}, {0, 1}, {-1, 0}, {1, -1}} {
		if x, y := tables()[1].readPair(r); x != want[0] || y != want[1] {
			t.Errorf("%d, %d, want %v", x, y, want)
		}
	}
	// In table 23 (16 + 7), a value of 15 is followed by 13 extra bits. The code word 11110101 is
	// the pair 15, 0.
	leaf := &bitReader{data: []byte{0, 0, 0, 0}}
	for i := range 1 << 16 {
		probe := &bitReader{data: []byte{byte(i >> 8), byte(i), 0xff, 0xff, 0xff, 0xff}}
		if tables()[23].readValue(probe) == 0xf0 {
			leaf = &bitReader{data: probe.data}
			break
		}
	}
	if x, y := tables()[23].readPair(leaf); x > -15 || x < -15-8191 || y != 0 {
		t.Errorf("%d, %d, want a large negative value and 0", x, y)
	}
}

func TestBandsFillTheSpectrum(t *testing.T) {
	for _, b := range bandTables {
		rate := b.rate
		l := newBandLayouts(rate)
		for _, c := range []struct {
			name  string
			bands []band
			count int
		}{{"long", l.long, 22}, {"short", l.short, 39}, {"mixed", l.mixed, 0}} {
			at := 0
			for _, b := range c.bands {
				if b.start != at || b.end <= b.start {
					t.Errorf("%d Hz, %s: a band from %d to %d follows line %d", rate, c.name, b.start, b.end, at)
				}
				at = b.end
			}
			if at != 576 || c.count > 0 && len(c.bands) != c.count {
				t.Errorf("%d Hz, %s: %d bands up to %d", rate, c.name, len(c.bands), at)
			}
		}
	}
}

// TestHybridTransforms compares the inverse MDCT with the formulas of 2.4.3.4.10.2.
func TestHybridTransforms(t *testing.T) {
	window := func(block, i int) float64 {
		x := float64(i)
		switch {
		case block == 1 && i >= 30, block == 3 && i < 6:
			return 0
		case block == 1 && i >= 24:
			return math.Sin(math.Pi / 12 * (x - 18 + 0.5))
		case block == 1 && i >= 18, block == 3 && i >= 6 && i >= 12 && i < 18:
			return 1
		case block == 3 && i < 12:
			return math.Sin(math.Pi / 12 * (x - 6 + 0.5))
		}
		return math.Sin(math.Pi / 36 * (x + 0.5))
	}
	m := mdct()
	for i := range 36 {
		for k := range 18 {
			c := math.Cos(math.Pi / 72 * float64((2*i+1+18)*(2*k+1)))
			for _, block := range []int{0, 1, 3} {
				if want := window(block, i) * c; math.Abs(m.long[block][i][k]-want) > 1e-13 {
					t.Errorf("block type %d, sample %d, line %d: %v, want %v", block, i, k, m.long[block][i][k], want)
				}
			}
		}
	}
	for i := range 12 {
		for k := range 6 {
			want := math.Sin(math.Pi/12*(float64(i)+0.5)) * math.Cos(math.Pi/24*float64((2*i+1+6)*(2*k+1)))
			if math.Abs(m.short[i][k]-want) > 1e-13 {
				t.Errorf("short, sample %d, line %d: %v, want %v", i, k, m.short[i][k], want)
			}
		}
	}
}

// TestMixedEdges decodes mixed start and stop blocks. The lowest two subbands have the window of a
// long block, the other subbands have the window of the block's type.
func TestMixedEdges(t *testing.T) {
	for block := 1; block <= 3; block++ {
		low, high := granule{}, granule{block: block}
		both := granule{block: block, mixed: true}
		for i := range both.spectrum {
			v := float64(i%7) - 3
			if both.spectrum[i] = v; i < 36 {
				low.spectrum[i] = v
			} else {
				high.spectrum[i] = v
			}
		}
		var got, sum, part [1152]float64
		var f, g, h hybrid
		for gr := range 2 { // the second granule depends on the state after the first
			f.transformGranule(&both, got[576*gr:][:576])
			g.transformGranule(&low, sum[576*gr:][:576])
			h.transformGranule(&high, part[576*gr:][:576])
		}
		for i := range got {
			if want := sum[i] + part[i]; math.Abs(got[i]-want) > 1e-9 {
				t.Fatalf("block type %d, sample %d: %v, want %v", block, i, got[i], want)
			}
		}
		// The first bits belong to other fields (12+9+8+4). Then come the fields switched, type and
		// mixed.
		word := byte(0x40 | block<<4 | 1<<3)
		var read granule
		read.readGranule(&bitReader{data: []byte{0, 0, 0, 0, word, 0, 0, 0, 0, 0}}, header(0xfffb9000), newBandLayouts(44100))
		if !read.switched || read.block != block || !read.mixed {
			t.Errorf("block type %d: %+v", block, read)
		}
	}
}

// TestSynthesis compares the synthesis with the flow chart of 2.4.3.2.2, which uses a vector of
// 1024 values.
func TestSynthesis(t *testing.T) {
	var v [1024]float64
	var s synthesis
	state := uint32(7)
	d := fullWindow()
	for range 40 {
		var lines [32]float64
		for i := range lines {
			state = state*1664525 + 1013904223
			lines[i] = float64(int32(state)) / (1 << 31)
		}
		copy(v[64:], v[:960])
		for i := range 64 {
			v[i] = 0
			for k, x := range lines {
				v[i] += math.Cos(float64((16+i)*(2*k+1))*math.Pi/64) * x
			}
		}
		var u [512]float64
		for i := range 8 {
			for j := range 32 {
				u[64*i+j], u[64*i+32+j] = v[128*i+j], v[128*i+96+j]
			}
		}
		got := make([]float64, 32)
		s.synthesizeLine(&lines, got)
		for j := range 32 {
			want := 0.0
			for i := range 16 {
				want += u[j+32*i] * d[j+32*i]
			}
			if math.Abs(got[j]-want) > 1e-12 {
				t.Fatalf("sample %d: %v, want %v", j, got[j], want)
			}
		}
	}
}

// TestShortBlocksAreSortedByFrequency expects the lines of the three windows to be interleaved. The
// long bands of mixed blocks keep their order.
func TestShortBlocksAreSortedByFrequency(t *testing.T) {
	l := newBandLayouts(44100)
	for _, mixed := range []bool{false, true} {
		g := granule{block: shortBlock, mixed: mixed, bands: l.short}
		if mixed {
			g.bands = l.mixed
		}
		for _, b := range g.bands {
			for k := b.start; k < b.end; k++ {
				if g.spectrum[k] = float64(k); b.window >= 0 {
					width := b.end - b.start
					g.spectrum[k] = float64(b.start - b.window*width + 3*(k-b.start) + b.window)
				}
			}
		}
		g.sortShortLines()
		for i, v := range g.spectrum {
			if v != float64(i) {
				t.Fatalf("mixed %v: line %v is at %d", mixed, v, i)
			}
		}
	}
}

// TestScale compares the scaled lines with the formula of 2.4.3.4.7.
func TestScale(t *testing.T) {
	l := newBandLayouts(44100)
	for _, c := range []struct {
		name string
		g    granule
	}{
		{"long", granule{gain: 190, bands: l.long}},
		{"long, preflag", granule{gain: 203, bands: l.long, preflag: true}},
		{"long, preflag and coarse", granule{gain: 255, bands: l.long, preflag: true, coarse: true}},
		{"short", granule{gain: 180, bands: l.short, block: shortBlock, subGain: [3]int{0, 3, 7}}},
		{"mixed, coarse", granule{gain: 0, bands: l.mixed, block: shortBlock, mixed: true, subGain: [3]int{1, 0, 2}, coarse: true}},
	} {
		g := c.g
		var lines [576]int
		for i := range lines {
			lines[i] = i%31 - 15
		}
		lines[3], lines[575] = 8206, 0
		for i := range len(g.bands) - 3 {
			g.factors[i] = i % 5
		}
		g.scaleLines(&lines)
		multiplier := 0.5
		if g.coarse {
			multiplier = 1
		}
		pretab := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 2, 0} // table B.6 of the standard
		for i, b := range g.bands {
			factor := float64(g.factors[i])
			gain := float64(g.gain) - 210
			if b.window >= 0 {
				gain -= 8 * float64(g.subGain[b.window])
			} else if g.preflag {
				factor += float64(pretab[i])
			}
			for k := b.start; k < b.end; k++ {
				want := math.Pow(math.Abs(float64(lines[k])), 4.0/3) * math.Pow(2, gain/4) * math.Pow(2, -multiplier*factor)
				if lines[k] < 0 {
					want = -want
				}
				if math.Abs(g.spectrum[k]-want) > 1e-12*math.Abs(want) {
					t.Fatalf("%s: line %d: %v, want %v", c.name, k, g.spectrum[k], want)
				}
			}
		}
	}
}

func TestQuadrupleBeyondTheGranuleIsDropped(t *testing.T) {
	// Table 33 has words of four bits. Depending on the order of its leaves, either 0000 or 1111 is
	// the quadruple of four ones; it is followed by four signs.
	for end, want := range map[int]int{8: 4, 7: 0, 5: 0, 16: 8, 15: 4, 12: 4} {
		g := granule{quadTable: 33, gain: 210, bands: newBandLayouts(44100).long}
		word := byte(0)
		for w := range 16 {
			r := &bitReader{data: []byte{byte(w << 4)}}
			if tables()[33].readValue(r) == 15 {
				word = byte(w << 4)
			}
		}
		g.readSpectrum(&bitReader{data: []byte{word, word, word, word}}, 44100, end)
		n := 0
		for n < 576 && g.spectrum[n] != 0 {
			n++
		}
		if n != want || slices.Max(g.spectrum[n:]) != 0 {
			t.Errorf("up to bit %d: %d lines, want %d", end, n, want)
		}
	}
}

// TestFactors2 compares the widths of MPEG 2 scale factors with ISO/IEC 13818-3, 2.4.3.2.
func TestFactors2(t *testing.T) {
	for _, c := range []struct {
		compress int
		position bool
		count    int // number of scale factors whose width is not 0
		bits     int // total width of the scale factors in bits
		preflag  bool
	}{
		{0, false, 0, 0, false},
		{4<<4*5 + 4<<4 + 15, false, 21, 6*4 + 5*4 + 5*3 + 5*3, false},
		{400 + 99, false, 18, 6*4 + 5*4 + 7*3, false},
		{500 + 11, false, 21, 11*3 + 10*2, true},
		{500, false, 0, 0, true},
		{2 * 179, true, 21, 7*4 + 7*5 + 7*5, false},
		{2*(180+63) + 1, true, 18, 6*3 + 6*3 + 6*3, false},
		{2 * 255, true, 16, 8*3 + 8*2, false},
	} {
		g := granule{compress: c.compress}
		r := &bitReader{data: make([]byte, 100)}
		g.readFactors2(r, c.position)
		count := 0
		for _, w := range g.widths {
			if w > 0 {
				count++
			}
		}
		if count != c.count || r.at != c.bits || g.preflag != c.preflag {
			t.Errorf("%d: %d factors of %d bits, preflag %v, want %d, %d, %v", c.compress, count, r.at, g.preflag, c.count, c.bits, c.preflag)
		}
	}
}

// TestAliases checks where aliases are reduced. In a mixed block this happens only between the two
// long subbands, and in short blocks never.
func TestAliases(t *testing.T) {
	for _, c := range []struct {
		g         granule
		from, end int // first changed line, and the line after the last changed line
	}{
		{granule{}, 10, 576 - 10},
		{granule{block: shortBlock, mixed: true}, 10, 26},
		{granule{block: shortBlock}, 0, 0},
	} {
		for i := range c.g.spectrum {
			c.g.spectrum[i] = 1
		}
		c.g.reduceAliases()
		for i, v := range c.g.spectrum {
			near := i%18 < 8 || i%18 >= 10
			if changed := v != 1; changed != (near && i >= c.from && i < c.end) {
				t.Errorf("block type %d, mixed %v: line %d is %v", c.g.block, c.g.mixed, i, v)
			}
		}
	}
}

// TestJointStereo tests intensity stereo. Both channels share the left channel's spectrum in the
// bands above the last nonzero line of the right channel. The stereo positions of MPEG 1 and MPEG 2
// set the share of each channel; 7 means that the band is not shared.
func TestJointStereo(t *testing.T) {
	const both, intensity = header(0xfffb9070), header(0xfffb9050)
	const mpeg2 = header(0xfff39050)
	third := math.Tan(math.Pi / 4)
	for _, c := range []struct {
		name        string
		h           header
		factor      int
		width       int
		compress    int
		left, right float64 // gains of the second highest band
	}{
		{"left only", intensity, 6, 0, 0, 1, 0},
		{"right only", intensity, 0, 0, 0, 0, 1},
		{"in the middle", intensity, 3, 0, 0, third / (1 + third), 1 / (1 + third)},
		{"not coded", intensity, 7, 0, 0, 1, 0},
		{"not coded but middle and side", both, 7, 0, 0, math.Sqrt2 / 2, math.Sqrt2 / 2},
		{"MPEG 2, middle", mpeg2, 0, 0, 0, 1, 1},
		{"MPEG 2, to the right", mpeg2, 3, 3, 0, math.Pow(2, -0.5), 1},
		{"MPEG 2, to the left, large steps", mpeg2, 4, 3, 1, 1, 0.5},
		{"MPEG 2, not coded", mpeg2, 7, 3, 0, 1, 0},
	} {
		l := newBandLayouts(c.h.sampleRate())
		left, right := &granule{bands: l.long}, &granule{bands: l.long, compress: c.compress}
		band := l.long[20]
		right.factors[20], right.widths[20] = c.factor, c.width
		left.spectrum[band.start] = 1
		left.spectrum[575] = 1 // the last band has the stereo position of the band below
		right.spectrum[0], left.spectrum[0] = 1, 1
		separateStereo(c.h, left, right)
		for _, k := range []int{band.start, 575} {
			if math.Abs(left.spectrum[k]-c.left) > 1e-12 || math.Abs(right.spectrum[k]-c.right) > 1e-12 {
				t.Errorf("%s: line %d: %v and %v, want %v and %v", c.name, k, left.spectrum[k], right.spectrum[k], c.left, c.right)
			}
		}
		wantLeft, wantRight := 1.0, 1.0
		if c.h.usesMidSide() {
			wantLeft, wantRight = math.Sqrt2, 0
		}
		if math.Abs(left.spectrum[0]-wantLeft) > 1e-12 || math.Abs(right.spectrum[0]-wantRight) > 1e-12 {
			t.Errorf("%s: below: %v and %v", c.name, left.spectrum[0], right.spectrum[0])
		}
	}
}

// TestJointStereoTop tests the topmost band, which has no stereo position. If the next lower band
// is not intensity-coded, both sides get equal shares.
func TestJointStereoTop(t *testing.T) {
	for h, want := range map[header]float64{0xfffb9050: 0.5, 0xfff39050: 1} {
		for _, block := range []int{0, shortBlock} {
			l, below := newBandLayouts(h.sampleRate()), 1
			left, right := &granule{bands: l.long}, &granule{bands: l.long}
			if block == shortBlock {
				left, right = &granule{bands: l.short, block: block}, &granule{bands: l.short, block: block}
				below = 3
			}
			for i := range right.factors {
				right.factors[i], right.widths[i] = 6, 3
			}
			top := right.bands[len(right.bands)-1]
			right.spectrum[right.bands[len(right.bands)-1-below].start] = 1
			left.spectrum[top.start] = 1
			separateStereo(h, left, right)
			if l, r := left.spectrum[top.start], right.spectrum[top.start]; l != want || r != want {
				t.Errorf("%x, block type %d: %v and %v, want %v", uint32(h), block, l, r, want)
			}
		}
	}
}

func TestReservoirHolds511Bytes(t *testing.T) {
	h := header(0xfffb9000) // a frame of 417 bytes; 36 of them are not main data
	d := newDecoder(h)
	for i, want := range []int{381, 511, 511} {
		frame := make([]byte, h.frameBytes())
		for k := range frame {
			frame[k] = byte(i)
		}
		d.decodeFrame(h, frame)
		if len(d.reservoir) != want || d.reservoir[len(d.reservoir)-1] != byte(i) {
			t.Errorf("after %d frames the reservoir has %d bytes, want %d", i+1, len(d.reservoir), want)
		}
	}
}

// FuzzFrames decodes random bytes after valid headers, because a file may contain any main data.
func FuzzFrames(f *testing.F) {
	for _, name := range []string{"stereo.mp3", "low.mp3", "mono22.mp3"} {
		f.Add(read(f, name)[4:1200], uint32(0xfffb9000))
	}
	f.Add([]byte{1, 2, 3}, uint32(0xffe3e054))
	f.Fuzz(func(t *testing.T, data []byte, word uint32) {
		h := header(word | 0xffe00000)
		if !h.isFrameHeader() || h.layerCode() != 1 || h.frameBytes() == 0 {
			return
		}
		d := newDecoder(h)
		for range 3 {
			frame := make([]byte, h.frameBytes())
			data = data[copy(frame, data):]
			if n := d.decodeFrame(h, frame); n != h.samplesPerFrame() {
				t.Errorf("%d samples", n)
			}
		}
	})
}
