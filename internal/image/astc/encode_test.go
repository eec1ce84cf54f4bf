package astc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/byalpha"
	"github.com/assetcook/assetcook/internal/image/imagetest"
)

var qualities = []struct {
	name string
	q    Quality
}{{"fast", Fast}, {"normal", Normal}, {"best", Best}}

func encoded(t testing.TB, pix []byte, w, h, side int, o Options) []byte {
	t.Helper()
	blocks := make([]byte, Size(w, h, side))
	if err := Encode(t.Context(), blocks, pix, w, h, side, o); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// What Fast reaches with blocks of 4, 5, 6 and 8 pixels a side, in dB, or a little less;
// TestQualityPays says that the others reach more.
func TestEncodeQuality(t *testing.T) {
	least := map[string][4]float64{
		"fog":        {54.3, 50.6, 49.2, 48.3},
		"glass":      {117.6, 117.6, 117.6, 117.6},
		"gradient":   {52.2, 49.8, 48.8, 46.0},
		"gray":       {62.8, 54.1, 50.1, 47.3},
		"leaves":     {26.7, 24.0, 20.1, 18.5},
		"letters":    {30.2, 24.6, 21.0, 18.8},
		"noise":      {18.9, 17.0, 15.1, 13.6},
		"normal map": {28.4, 27.4, 24.6, 23.3},
		"smoke":      {47.4, 46.1, 45.5, 44.5},
		"stone":      {42.7, 39.7, 33.3, 28.1},
		"tile":       {117.6, 117.6, 117.6, 117.6},
	}
	for name, pix := range samples() {
		for i, side := range sides {
			got := imagetest.PSNR(pix, read(encoded(t, pix, width, width, side, Options{}), width, width, side, true), 4)
			if got < least[name][i] {
				t.Errorf("%s, %d pixels a side: %.2f dB, want %.2f", name, side, got, least[name][i])
			}
			t.Logf("%s, fast, %d: %.2f", name, side, got)
		}
	}
}

// The bytes are the same on every machine.
func TestEncodeGolden(t *testing.T) {
	want := map[string]string{
		"fast4": "c98b0b595b306944", "normal4": "1faa498648137e1e", "best4": "13cfb272fd407cd3",
		"fast5": "1b99c8b97b95e743", "normal5": "3785b2b709142842", "best5": "5de762d31307f94a",
		"fast6": "4f465d2f7f5458a5", "normal6": "05ca007bd66a5019", "best6": "00002c3450a8c4bd",
		"fast8": "cb72972f167133d2", "normal8": "16c07907276922a4", "best8": "5aa688d556072044",
	}
	all := samples()
	for _, side := range sides {
		for _, q := range qualities {
			sum := sha256.New()
			for _, sample := range slices.Sorted(maps.Keys(all)) {
				o := Options{Quality: q.q, WeighAlpha: sample == "leaves"}
				if sample == "smoke" {
					o.AlphaWeight = 3
				}
				sum.Write(encoded(t, all[sample], width, width, side, o))
			}
			key := fmt.Sprint(q.name, side)
			if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want[key] {
				t.Errorf("%q: %q, want %s", key, got, want[key])
			}
		}
	}
}

// pixelsOf draws the pixels of a block: few colors or many, opaque or not.
func pixelsOf(t *rapid.T) (pixels [256]byte) {
	most := rapid.SampledFrom([]byte{0, 1, 3, 20, 255}).Draw(t, "spread")
	base := rapid.SliceOfN(rapid.Byte(), 12, 12).Draw(t, "base")
	alpha := rapid.SampledFrom([]string{"opaque", "cut out", "any", "even"}).Draw(t, "alpha")
	gray := rapid.Bool().Draw(t, "gray")
	random := rapid.SliceOfN(rapid.Byte(), 256, 256).Draw(t, "noise")
	for i := 0; i < 256; i += 4 {
		from := base[4*int(random[i]%3):]
		for c := range 4 {
			pixels[i+c] = from[c] + byte(int(random[i+c])*int(most)/255)
		}
		if gray {
			pixels[i+1], pixels[i+2] = pixels[i], pixels[i]
		}
		switch alpha {
		case "opaque":
			pixels[i+3] = 255
		case "cut out":
			pixels[i+3] = -(pixels[i+3] & 1)
		case "even":
			pixels[i+3] = base[3]
		}
	}
	return pixels
}

// What the encoder believes is the error is the error, whatever it chose.
func TestErrorIsTrue(t *testing.T) {
	for _, side := range sides {
		for _, q := range qualities {
			e := newEncoder(q.q, side)
			rapid.Check(t, func(t *rapid.T) {
				pixels := pixelsOf(t)
				times := rapid.IntRange(1, 16).Draw(t, "alpha counts")
				e.countAlpha(times)
				block := e.encode(&pixels)
				var decoded [256]byte
				DecodeBlock(&decoded, &block, side, true)
				sse := imagetest.SquaredError(pixels[:4*side*side], decoded[:4*side*side], 4)
				for i := 3; i < 4*side*side; i += 4 {
					d := int64(pixels[i]) - int64(decoded[i])
					sse += d * d * int64(times-1)
				}
				if sse != e.sse {
					t.Fatalf("%+v: error %d, thought to be %d", e.best, sse, e.sse)
				}
			})
		}
	}
}

// Of a value in red, green and blue and one in alpha both are nearer to the source together
// where alpha counts three times.
func TestAlphaWeight(t *testing.T) {
	stone, pix := samples()["stone"], samples()["normal map"]
	for i := 0; i < len(pix); i += 4 {
		x, y := 64+pix[i]/2, stone[i]
		copy(pix[i:], []byte{x, x, x, y})
	}
	for _, side := range sides {
		for _, q := range qualities {
			var sse [2]int64
			for k, times := range []int{0, 3} {
				blocks := encoded(t, pix, width, width, side, Options{Quality: q.q, AlphaWeight: times})
				decoded := read(blocks, width, width, side, false)
				for i := 0; i < len(pix); i += 4 {
					dx, dy := int64(pix[i])-int64(decoded[i]), int64(pix[i+3])-int64(decoded[i+3])
					sse[k] += dx*dx + dy*dy
				}
			}
			if sse[1] >= sse[0] {
				t.Errorf("%s, %d pixels a side: errors of x and y %d, where alpha counts once %d", q.name, side, sse[1], sse[0])
			}
		}
	}
}

func TestOpaqueStaysOpaque(t *testing.T) {
	for _, side := range sides {
		for _, q := range qualities {
			e := newEncoder(q.q, side)
			rapid.Check(t, func(t *rapid.T) {
				pixels := pixelsOf(t)
				for i := 3; i < 256; i += 4 {
					pixels[i] = 255
				}
				block := e.encode(&pixels)
				for _, srgb := range []bool{false, true} {
					var decoded [256]byte
					DecodeBlock(&decoded, &block, side, srgb)
					for i := 3; i < 4*side*side; i += 4 {
						if decoded[i] != 255 {
							t.Fatalf("%+v: alpha %d", e.best, decoded[i])
						}
					}
				}
			})
		}
	}
}

func TestSolidIsExact(t *testing.T) {
	for v := range 256 {
		pix := bytes.Repeat([]byte{byte(v), byte(255 - v), byte(v * 7), byte(v * 3)}, 64)
		for _, srgb := range []bool{false, true} {
			if got := read(encoded(t, pix, 8, 8, 8, Options{}), 8, 8, 8, srgb); !bytes.Equal(got, pix) {
				t.Fatalf("%v became %v", pix[:4], got[:4])
			}
		}
	}
}

// Plain numbers are read with another rounding than sRGB, but never one step more.
func TestPlainIsNear(t *testing.T) {
	for name, pix := range samples() {
		blocks := encoded(t, pix, width, width, 6, Options{})
		plain, srgb := read(blocks, width, width, 6, false), read(blocks, width, width, 6, true)
		for i := range plain {
			if d := int(plain[i]) - int(srgb[i]); d < -1 || d > 1 {
				t.Fatalf("%s: %d and %d", name, plain[i], srgb[i])
			}
		}
	}
}

// All kinds of ends that are meant to be used are, and so are parts and planes.
func TestKindsInUse(t *testing.T) {
	kinds, parts, planes := map[uint8]int{}, map[uint8]int{}, map[bool]int{}
	mixed := 0
	for _, pix := range samples() {
		for _, side := range sides {
			blocks := encoded(t, pix, width, width, side, Options{Quality: Best})
			for ; len(blocks) > 0; blocks = blocks[16:] {
				c, ok := unpack(&stream{binary.LittleEndian.Uint64(blocks), binary.LittleEndian.Uint64(blocks[8:])}, side)
				if !ok {
					continue
				}
				parts[c.parts]++
				planes[c.dual]++
				for _, kind := range c.kinds[:c.parts] {
					kinds[kind]++
				}
				if c.kinds[0] != c.kinds[c.parts-1] {
					mixed++
				}
			}
		}
	}
	for _, kind := range []uint8{kindGray, kindGrayAlpha, kindRGBScale, kindRGB, kindRGBOffset, kindRGBScaleAlpha, kindRGBA, kindRGBAOffset} {
		if kinds[kind] == 0 {
			t.Errorf("no ends of kind %d: %v", kind, kinds)
		}
	}
	if parts[1] == 0 || parts[2] == 0 || parts[3] == 0 || planes[true] == 0 || mixed == 0 {
		t.Errorf("parts %v, planes %v, mixed %d", parts, planes, mixed)
	}
}

func TestQualityPays(t *testing.T) {
	for _, side := range sides {
		var sse [3]int64
		for _, pix := range samples() {
			for i, q := range qualities {
				sse[i] += imagetest.SquaredError(pix, read(encoded(t, pix, width, width, side, Options{Quality: q.q}), width, width, side, true), 4)
			}
		}
		if !(sse[0] > sse[1] && sse[1] > sse[2]) {
			t.Errorf("errors of fast, normal and best: %d", sse)
		}
	}
}

// With WeighAlpha the weighed error falls.
func TestWeighAlphaPays(t *testing.T) {
	pix := samples()["leaves"]
	for _, q := range qualities {
		for _, side := range sides {
			var sse [2]int64
			for i, weigh := range []bool{false, true} {
				blocks := encoded(t, pix, width, width, side, Options{Quality: q.q, WeighAlpha: weigh})
				sse[i] = byalpha.Error(pix, read(blocks, width, width, side, true))
			}
			if float64(sse[1]) > 0.95*float64(sse[0]) {
				t.Errorf("%s, %d pixels a side: %d, without %d", q.name, side, sse[1], sse[0])
			}
		}
	}
}

// A picture whose size is no multiple of a block's is as if its last column and row went
// on, and its rows of blocks are the same one by one.
func TestEdgesRepeat(t *testing.T) {
	stone := samples()["stone"]
	for _, size := range [][2]int{{1, 1}, {3, 5}, {4, 4}, {5, 4}, {19, 17}} {
		for _, side := range sides {
			w, h := size[0], size[1]
			wide, high := (w+side-1)/side*side, (h+side-1)/side*side
			var pix, padded []byte
			for y := range high {
				for x := range wide {
					from := 4 * (min(y, h-1)*width + min(x, w-1))
					padded = append(padded, stone[from:from+4]...)
					if x < w && y < h {
						pix = append(pix, stone[from:from+4]...)
					}
				}
			}
			got, want := encoded(t, pix, w, h, side, Options{}), encoded(t, padded, wide, high, side, Options{})
			if !bytes.Equal(got, want) {
				t.Errorf("%dx%d: %x, want %x", w, h, got, want)
			}
			var rows []byte
			for y := 0; y < h; y += side {
				n := min(side, h-y)
				rows = append(rows, encoded(t, pix[4*w*y:4*w*(y+n)], w, n, side, Options{})...)
			}
			if !bytes.Equal(rows, want) {
				t.Errorf("%dx%d in rows: %x, want %x", w, h, rows, want)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h, side int
		o                    Options
		want                 string
	}{
		{16, 64, 0, 4, 4, Options{}, "0 by 4"},
		{16, 64, 4, -1, 4, Options{}, "4 by -1"},
		{16, 64, 4, 4, 7, Options{}, "7 by 7"},
		{16, 64, 1 << 21, 4, 4, Options{}, "by 4"},
		{16, 63, 4, 4, 4, Options{}, "63 bytes are too few"},
		{15, 64, 4, 4, 4, Options{}, "15 bytes are too few"},
		{16, 64, 4, 4, 4, Options{Quality: 3}, "unknown quality"},
		{16, 64, 4, 4, 4, Options{AlphaWeight: 17}, "want 0 to 16"},
		{16, 64, 4, 4, 4, Options{AlphaWeight: -1}, "want 0 to 16"},
	} {
		err := Encode(t.Context(), make([]byte, c.dst), make([]byte, c.pix), c.w, c.h, c.side, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

func TestEncodeCancelled(t *testing.T) {
	pix := samples()["stone"]
	dst := make([]byte, Size(width, width, 4))
	looks := width * width / 16 / blocksBetweenLooks
	for left := range looks {
		if err := Encode(&imagetest.Countdown{Context: t.Context(), Left: left}, dst, pix, width, width, 4, Options{}); err != context.Canceled {
			t.Errorf("after %d looks: %v", left, err)
		}
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	for name, pix := range samples() {
		for _, side := range sides {
			e := newEncoder(Best, side)
			p := picture{pix, width, width, side}
			var pixels [256]byte
			n := testing.AllocsPerRun(2, func() {
				for at := range 4 {
					p.gather(&pixels, at*p.blocks()/4)
					e.encodeWeighed(&pixels)
				}
			})
			if n != 0 {
				t.Errorf("%s, %d pixels a side: %v allocations", name, side, n)
			}
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(make([]byte, 256), make([]byte, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 255, 200, 100, 50, 255}, 32), bytes.Repeat([]byte{0x43}, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 0, 200, 100, 50, 255}, 32), bytes.Repeat([]byte{0x84}, 16))
	f.Fuzz(func(t *testing.T, pixels, block []byte) {
		var decoded [256]byte
		for _, side := range sides {
			if len(block) >= 16 {
				DecodeBlock(&decoded, (*[16]byte)(block), side, true)
			}
			if len(pixels) < 256 {
				continue
			}
			for _, q := range qualities {
				e := newEncoder(q.q, side)
				p := [256]byte(pixels)
				b := e.encode(&p)
				DecodeBlock(&decoded, &b, side, true)
				if sse := imagetest.SquaredError(p[:4*side*side], decoded[:4*side*side], 4); sse != e.sse {
					t.Fatalf("error %d, thought to be %d", sse, e.sse)
				}
			}
		}
	})
}

func ExampleEncode() {
	const w, h = 12, 6
	pix := make([]byte, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []byte{byte(20 * (i % w)), 100, 200, 255})
	}
	blocks := make([]byte, Size(w, h, 6))
	if err := Encode(context.Background(), blocks, pix, w, h, 6, Options{Quality: Best}); err != nil {
		fmt.Println(err)
		return
	}
	var first [256]byte
	DecodeBlock(&first, (*[16]byte)(blocks), 6, true)
	fmt.Println(len(blocks), first[:8])
	// Output: 32 [0 100 200 255 19 100 200 255]
}
