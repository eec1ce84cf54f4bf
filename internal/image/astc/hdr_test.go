package astc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// Each half-precision float must survive the conversion to a 16-bit value and back.
func TestLightOfHalfIsExact(t *testing.T) {
	for h := range uint16(halfMax + 1) {
		if got := halfOfLight(lightOfHalf(h)); got != h {
			t.Fatalf("%#x became %#x", h, got)
		}
	}
}

// A fraction must become the largest half-precision float that does not exceed it, and 65535 must
// become 1.
func TestHalfOfFraction(t *testing.T) {
	for v := range 65535 {
		want := float32(v) / 65536
		h := halfOfFraction(v)
		if blockfit.FiniteHalf(h) > want || blockfit.FiniteHalf(h+1) <= want {
			t.Fatalf("%d became %v", v, blockfit.FiniteHalf(h))
		}
	}
	if got := halfOfFraction(65535); got != halfOne {
		t.Errorf("65535 became %#x", got)
	}
}

// The checksum of the pixels that the decoder returns for random blocks. proof/readers/textures
// shows that another decoder returns the same pixels.
func TestDecodeHDRGolden(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	sum := sha256.New()
	for range 10000 {
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], random.Uint64())
		binary.LittleEndian.PutUint64(block[8:], random.Uint64())
		if random.IntN(2) == 0 {
			block[1] &^= 0x18 // one part
		}
		for _, size := range sizes {
			var pix Halves
			DecodeHDR(&pix, &block, size)
			for _, h := range pix[:4*size.W*size.H] {
				sum.Write([]byte{byte(h), byte(h >> 8)})
			}
		}
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "0bd4b85268524eb1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Both decoders must decode blocks of low dynamic range to the same colors, except for rounding.
func TestDecodersAgreeOnLowRange(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	n := 0
	for range 20000 {
		s := stream{random.Uint64(), random.Uint64()}
		size := sizes[random.IntN(len(sizes))]
		c, ok := unpack(&s, size)
		for _, kind := range c.kinds[:c.parts] {
			ok = ok && !isLight(kind)
		}
		if !ok {
			continue
		}
		n++
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], s.low)
		binary.LittleEndian.PutUint64(block[8:], s.high)
		var low Pixels
		var high Halves
		DecodeBlock(&low, &block, size, false)
		DecodeHDR(&high, &block, size)
		for i, v := range low[:4*size.W*size.H] {
			if got := blockfit.FiniteHalf(high[i]) * 255; got < float32(v)-1 || got > float32(v)+1 {
				t.Fatalf("%v, value %d: %v, and %d in eight bits", size, i, got, v)
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d blocks", n)
	}
}

// lightSamples has small images of high dynamic range, by name.
var lightSamples = sync.OnceValue(func() map[string][]uint16 {
	random := rand.New(rand.NewPCG(3, 4))
	paint := func(at func(x, y int) [3]float64) (pix []uint16) {
		for y := range width {
			for x := range width {
				for _, v := range at(x, y) {
					h := uint16(0)
					for bit := uint16(1 << 14); bit > 0; bit >>= 1 {
						if h|bit <= halfMax && float64(blockfit.FiniteHalf(h|bit)) <= v {
							h |= bit
						}
					}
					pix = append(pix, h)
				}
			}
		}
		return pix
	}
	return map[string][]uint16{
		"sky": paint(func(x, y int) [3]float64 {
			return [3]float64{0.2 + float64(y)/90, 0.4 + float64(y)/120, 1.1 - float64(x)/300}
		}),
		"sun": paint(func(x, y int) [3]float64 {
			d := float64((x-20)*(x-20) + (y-24)*(y-24))
			v := 40000/(1+d*d) + 0.3
			return [3]float64{v, v * 0.9, v*0.8 + 0.1}
		}),
		"rocks": paint(func(x, y int) [3]float64 {
			v := 0.05 + random.Float64()*0.6
			return [3]float64{v, v * (0.8 + 0.1*random.Float64()), v * 0.6}
		}),
		"lamps": paint(func(x, y int) [3]float64 {
			if (x*7+y*13)%29 == 0 {
				return [3]float64{3000, 2000, float64(500 * (x % 3))}
			}
			return [3]float64{0, 0.02, 0.5 * float64(y%2)}
		}),
		"window": paint(func(x, y int) [3]float64 {
			if x/11%2 == 0 {
				return [3]float64{12 + float64(y)/9, 14 + float64(y)/9, 18}
			}
			return [3]float64{0.06, 0.05, 0.03 + float64(x)/2000}
		}),
		"gray": paint(func(x, y int) [3]float64 {
			v := 0.5 + float64(x*y)/40
			return [3]float64{v, v, v}
		}),
		"snow": paint(func(x, y int) [3]float64 {
			v := 2 + 0.1*random.Float64()
			return [3]float64{v, v, v}
		}),
		"noise": paint(func(x, y int) [3]float64 {
			return [3]float64{1000 * random.Float64(), 5 * random.Float64(), 0.01 * random.Float64()}
		}),
	}
})

func encodedLight(t testing.TB, pix []uint16, w, h int, size Size, q blockfit.Quality) []byte {
	t.Helper()
	blocks := make([]byte, 16*size.in(w, h).Blocks())
	if err := EncodeHDR(t.Context(), blocks, pix, w, h, size, q); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// A lightSample names the blocks of a sample of high dynamic range.
type lightSample struct {
	name string
	size Size
	q    blockfit.Quality
}

// encodedLights has the blocks that encode has returned, so that tests share them.
var encodedLights = map[lightSample][]byte{}

// encode returns the blocks of the sample, which must not be changed.
func (s lightSample) encode(t testing.TB) []byte {
	t.Helper()
	if encodedLights[s] == nil {
		encodedLights[s] = encodedLight(t, lightSamples()[s.name], width, width, s.size, s.q)
	}
	return encodedLights[s]
}

// readLight calls see for each value of an image's blocks, with the index of the value in the
// image.
func readLight(blocks []byte, w, h int, size Size, see func(i int, got uint16)) {
	across := (w + size.W - 1) / size.W
	for at := range len(blocks) / 16 {
		var pix Halves
		DecodeHDR(&pix, (*[16]byte)(blocks[16*at:]), size)
		for i := range size.W * size.H {
			x, y := at%across*size.W+i%size.W, at/across*size.H+i/size.W
			if x >= w || y >= h {
				continue
			}
			for c := range 3 {
				see(3*(y*w+x)+c, pix[4*i+c])
			}
		}
	}
}

// The encoder must write the same bytes on every machine, and a higher quality must not have larger
// errors.
func TestEncodeHDRSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	for _, size := range sizes {
		sum := sha256.New()
		var errs [3]float64
		for _, name := range []string{"gray", "lamps", "noise", "rocks", "sky", "snow", "sun", "window"} {
			pix := lightSamples()[name]
			glare := blockfit.GlareOf(0x4c00) // differences of logarithms of 1 + v
			for _, q := range qualities {
				blocks := lightSample{name, size, q.q}.encode(t)
				sum.Write(blocks)
				readLight(blocks, width, width, size, func(i int, got uint16) {
					d := float64(glare.Level(got) - glare.Level(pix[i]))
					errs[q.q] += d * d
				})
			}
		}
		t.Logf("%v: %.1f", size, errs)
		if errs[1] > errs[0] || errs[2] > errs[1] {
			t.Errorf("%v: errors %v", size, errs)
		}
		if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), lightSums[size]; got != want {
			t.Errorf("%v: %q, want %q", size, got, want)
		}
	}
}

// lightSums holds the checksums of all samples by block size.
var lightSums = map[Size]string{
	{4, 4}:   "0cbc2aba400405f6",
	{5, 4}:   "54d5e5c8fe59f7ee",
	{5, 5}:   "64fa1850997729dc",
	{6, 5}:   "74a9c0eb9314cce8",
	{6, 6}:   "a752245cde80acb9",
	{8, 5}:   "19b3ef6cec5a532e",
	{8, 6}:   "8200a672a479805f",
	{8, 8}:   "65ce6ed6e5d13408",
	{10, 5}:  "7fd83258b5d805e8",
	{10, 6}:  "a0ccaae5587a4dd9",
	{10, 8}:  "9efa9501c5342635",
	{10, 10}: "4d7b24fd8df8dbcb",
	{12, 10}: "600374c7d38084eb",
	{12, 12}: "e5925a79efa51e17",
}

// A value below 1 must never become brighter than 4, whatever the colors are.
func TestDarkValuesStayDark(t *testing.T) {
	for name, pix := range lightSamples() {
		for _, size := range sizes {
			blocks := lightSample{name, size, blockfit.Fast}.encode(t)
			readLight(blocks, width, width, size, func(i int, got uint16) {
				if pix[i] < halfOne && got > halfFour {
					t.Fatalf("%s, %v, value %d: %#x is decoded as %#x", name, size, i, pix[i], got)
				}
			})
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom(sizes[:]).Draw(t, "size")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		levels := rapid.SliceOfN(rapid.Uint16Range(0, halfMax), 2, 5).Draw(t, "levels")
		spread := rapid.Uint16Range(0, 3000).Draw(t, "spread")
		var colors lightColors
		for i := range colors {
			colors[i] = min(levels[random.IntN(len(levels))]+uint16(random.IntN(int(spread)+1)), halfMax)
		}
		e := newLightEncoder(blockfit.Quality(rapid.IntRange(0, 1).Draw(t, "quality")), size)
		block := e.encodeLight(&colors)
		var pix Halves
		DecodeHDR(&pix, &block, size)
		for i := range e.pixels {
			for c := range 3 {
				want, got := colors[3*i+c], pix[4*i+c]
				if got > halfMax || want < halfOne && got > halfFour {
					t.Fatalf("pixel %d, channel %d: %#x is decoded as %#x", i, c, want, got)
				}
			}
			if pix[4*i+3] != halfOne {
				t.Fatalf("alpha %#x", pix[4*i+3])
			}
		}
	})
}

// The visible error that the encoder reports must be the error of the decoded block.
func TestVisibleErrorIsTrue(t *testing.T) {
	n := 0
	for _, pix := range lightSamples() {
		for _, size := range sizes {
			e := newLightEncoder(blockfit.Normal, size)
			g := size.in(width, width)
			for at := 0; at < g.Blocks(); at += 7 {
				var colors lightColors
				blockfit.Gather(g, colors[:], pix, 3, at)
				block := e.encodeLight(&colors)
				s := stream{binary.LittleEndian.Uint64(block[:]), 0}
				if s.bitsAt(0, 9) == voidExtent {
					continue
				}
				n++
				var decoded Halves
				DecodeHDR(&decoded, &block, size)
				sum := float32(0)
				for i := range 3 * e.pixels {
					d := e.light.Level(decoded[i/3*4+i%3]) - e.light.Level(colors[i])
					sum += float32(d * d)
				}
				if sum != e.light.visible {
					t.Fatalf("%v: error %v, thought to be %v", size, sum, e.light.visible)
				}
			}
		}
	}
	if n < 500 {
		t.Errorf("%d blocks", n)
	}
}

// Blocks of a single color must be exact, also at the edges of an image.
func TestSolidLightIsExact(t *testing.T) {
	for _, color := range [][3]uint16{{0, 0, 0}, {1, 2, 3}, {halfMax, 0, halfMax}, {halfOne, halfOne + 1, 1000}} {
		pix := bytes.Repeat([]byte{1}, 5*7)
		var values []uint16
		for range pix {
			values = append(values, color[:]...)
		}
		readLight(encodedLight(t, values, 5, 7, Size{6, 5}, blockfit.Best), 5, 7, Size{6, 5}, func(i int, got uint16) {
			if got != color[i%3] {
				t.Fatalf("%#x became %#x", color[i%3], got)
			}
		})
	}
}

// The encoder must repeat the last column and row at the edges. Rows of blocks that are encoded
// separately must be the same.
func TestLightEdgesRepeat(t *testing.T) {
	pix := lightSamples()["window"]
	const w, h = 13, 11
	for _, size := range sizes {
		wide, high := (w+size.W-1)/size.W*size.W, (h+size.H-1)/size.H*size.H
		var part, padded []uint16
		for y := range high {
			for x := range wide {
				from := pix[3*(min(y, h-1)*width+min(x, w-1)):][:3]
				padded = append(padded, from...)
				if x < w && y < h {
					part = append(part, from...)
				}
			}
		}
		want := encodedLight(t, padded, wide, high, size, blockfit.Fast)
		if got := encodedLight(t, part, w, h, size, blockfit.Fast); !bytes.Equal(got, want) {
			t.Errorf("%v: edges differ", size)
		}
		var rows []byte
		for y := 0; y < h; y += size.H {
			n := min(size.H, h-y)
			rows = append(rows, encodedLight(t, part[3*w*y:3*w*(y+n)], w, n, size, blockfit.Fast)...)
		}
		if !bytes.Equal(rows, want) {
			t.Errorf("%v: rows differ", size)
		}
	}
}

// The encoder must use all its endpoint modes, all forms of kindLight, and two and three parts.
func TestLightFormsInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	kinds, forms, parts := map[uint8]int{}, map[[2]int]int{}, map[uint8]int{}
	for name := range lightSamples() {
		for _, size := range []Size{{4, 4}, {6, 6}, {10, 8}} {
			for blocks := (lightSample{name, size, blockfit.Best}).encode(t); len(blocks) > 0; blocks = blocks[16:] {
				c, ok := unpack(&stream{binary.LittleEndian.Uint64(blocks), binary.LittleEndian.Uint64(blocks[8:])}, size)
				if !ok {
					continue
				}
				parts[c.parts]++
				at := 0
				for _, kind := range c.kinds[:c.parts] {
					v := c.endValues(at, kind)
					at += endNumbers(kind)
					kinds[kind]++
					if kind == kindLight && v[4]>>7&v[5]>>7 == 0 {
						forms[[2]int{int(kind), int(v[1]>>7 | v[2]>>7<<1 | v[3]>>7<<2)}]++
					}
				}
			}
		}
	}
	if kinds[kindLightRange] == 0 || kinds[kindLightDetail] == 0 || kinds[kindLightShift] == 0 || len(forms) < 8 || parts[2] == 0 || parts[3] == 0 {
		t.Errorf("endpoint modes %v, forms %v, parts %v", kinds, forms, parts)
	}
}

func TestEncodeHDRRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h int
		size           Size
		q              blockfit.Quality
		want           string
	}{
		{16, 48, 0, 4, Size{4, 4}, 0, "0 by 4"},
		{16, 48, 4, 4, Size{7, 7}, 0, "7 by 7"},
		{16, 47, 4, 4, Size{4, 4}, 0, "47 values are too few"},
		{15, 48, 4, 4, Size{4, 4}, 0, "15 bytes are too few"},
		{16, 48, 4, 4, Size{4, 4}, 3, "unknown quality"},
	} {
		err := EncodeHDR(t.Context(), make([]byte, c.dst), make([]uint16, c.pix), c.w, c.h, c.size, c.q)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
	ctx := countdown.New(t.Context(), 1)
	if err := EncodeHDR(ctx, make([]byte, 16*1000), make([]uint16, 3*16*1000), 4000, 4, Size{4, 4}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func FuzzHDR(f *testing.F) {
	f.Add(uint8(0), make([]byte, 6*maxPixels), make([]byte, 16))
	f.Add(uint8(9), bytes.Repeat([]byte{1, 2, 3, 60, 200, 100, 50, 15}, 108), bytes.Repeat([]byte{0x43}, 16))
	f.Fuzz(func(t *testing.T, number uint8, data, block []byte) {
		size := sizes[int(number)%len(sizes)]
		var decoded Halves
		if len(block) >= 16 {
			DecodeHDR(&decoded, (*[16]byte)(block), size)
		}
		if len(data) < 6*maxPixels {
			return
		}
		var colors lightColors
		for i := range colors {
			colors[i] = min(binary.LittleEndian.Uint16(data[2*i:])&0x7fff, halfMax)
		}
		e := newLightEncoder(blockfit.Fast, size)
		b := e.encodeLight(&colors)
		DecodeHDR(&decoded, &b, size)
		if visible := float32(0); binary.LittleEndian.Uint16(b[:])&0x1ff != 0x1fc { // not a single color
			for i, want := range e.light.want[:3*size.W*size.H] {
				off := e.light.Level(decoded[i/3*4+i%3]) - want
				visible += float32(off * off)
			}
			if visible != e.light.visible {
				t.Fatalf("the error of the block is %v, the encoder measured %v", visible, e.light.visible)
			}
		}
		for i := range 3 * size.W * size.H {
			if got := decoded[i/3*4+i%3]; got > halfMax || colors[i] < halfOne && got > halfFour {
				t.Fatalf("%#x is decoded as %#x", colors[i], got)
			}
		}
	})
}
