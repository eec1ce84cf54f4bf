package bc7

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/imagetest"
)

var qualities = []struct {
	name string
	q    Quality
}{{"fast", Fast}, {"normal", Normal}, {"best", Best}}

// encoded is the blocks of a picture.
func encoded(t testing.TB, pix []byte, w, h int, o Options) []byte {
	t.Helper()
	dst := make([]byte, Size(w, h))
	if err := Encode(t.Context(), dst, pix, w, h, o); err != nil {
		t.Fatal(err)
	}
	return dst
}

// readAlike fails the test where an independent reader sees other pixels in a block.
func readAlike(t testing.TB, block *[16]byte) {
	t.Helper()
	var got [64]byte
	DecodeBlock(&got, block)
	if want := read(t, block[:], 4, 4); !bytes.Equal(got[:], want) {
		t.Fatalf("block %x\n got %v\nwant %v", *block, got, want)
	}
}

// Each is 0.3 dB below what was measured when the test was written.
func TestEncodeNearEnough(t *testing.T) {
	least := map[string][3]float64{
		"glow":       {59.9, 61.0, 61.0},
		"icon":       {49.8, 50.2, 52.0},
		"glass":      {51.4, 51.4, 55.1},
		"gradient":   {47.5, 47.5, 51.5},
		"leaves":     {26.0, 26.1, 26.8},
		"letters":    {48.7, 52.2, 52.7},
		"noise":      {18.5, 18.5, 18.6},
		"normal map": {27.8, 27.8, 28.1},
		"smoke":      {45.2, 47.5, 47.6},
		"stone":      {42.7, 42.8, 43.0},
		"tile":       {120.0, 120.0, 120.0},
	}
	for name, pix := range samples() {
		for i, q := range qualities {
			got := imagetest.PSNR(pix, read(t, encoded(t, pix, side, side, Options{Quality: q.q}), side, side), 4)

			if got < least[name][i] {
				t.Errorf("%s, %s: %.2f dB, want %.2f", name, q.name, got, least[name][i])
			}
		}
	}
}

// The bytes are the same on every machine.
func TestEncodeGolden(t *testing.T) {
	want := map[string]string{
		"fast": "fec2fc0a2a0660ea", "normal": "374de2d5a96f2fab", "best": "14beaa569e8fa6d8",
		"weighed": "78916cef42b3d716", "shrunk": "05c74f5aa6fa5cbf",
	}
	options := map[string]Options{
		"fast": {Quality: Fast}, "normal": {Quality: Normal}, "best": {Quality: Best},
		"weighed": {Quality: Normal, WeighAlpha: true}, "shrunk": {Quality: Fast, RDO: 0.5},
	}
	all := samples()
	for name, o := range options {
		sum := sha256.New()
		if o.RDO == 0 {
			for _, sample := range slices.Sorted(maps.Keys(all)) {
				sum.Write(encoded(t, all[sample], side, side, o))
			}
		} else {
			sum.Write(encoded(t, bricks(), side, side, o))
		}
		if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}

// pixelsOf draws the pixels of a block: few colors or many, opaque or not.
func pixelsOf(t *rapid.T) (pixels [64]byte) {
	most := rapid.SampledFrom([]byte{0, 1, 3, 20, 255}).Draw(t, "spread")
	base := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "base")
	alpha := rapid.SampledFrom([]string{"opaque", "cut out", "any", "even"}).Draw(t, "alpha")
	for i := 0; i < 64; i += 4 {
		from := base[:4]
		if rapid.Bool().Draw(t, "second") {
			from = base[4:]
		}
		for c := range 4 {
			pixels[i+c] = from[c] + rapid.ByteRange(0, most).Draw(t, "off")
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
	for _, q := range qualities {
		e := newEncoder(q.q)
		e.exact = true
		rapid.Check(t, func(t *rapid.T) {
			pixels := pixelsOf(t)
			block := e.encode(&pixels)
			var decoded [64]byte
			DecodeBlock(&decoded, &block)
			if sse := imagetest.SquaredError(pixels[:], decoded[:], 4); sse != e.sse {
				t.Fatalf("mode %d: error %d, thought to be %d", e.best.mode, sse, e.sse)
			}
		})
	}
}

func TestOpaqueStaysOpaque(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			pixels := pixelsOf(t)
			for i := 3; i < 64; i += 4 {
				pixels[i] = 255
			}
			block := e.encode(&pixels)
			var decoded [64]byte
			DecodeBlock(&decoded, &block)
			for i := 3; i < 64; i += 4 {
				if decoded[i] != 255 {
					t.Fatalf("mode %d: alpha %d", e.best.mode, decoded[i])
				}
			}
		})
	}
}

func TestSolidIsExact(t *testing.T) {
	for v := range 256 {
		pix := bytes.Repeat([]byte{byte(v), byte(255 - v), byte(v * 7), byte(v * 3)}, 16)
		for _, q := range qualities {
			if got := read(t, encoded(t, pix, 4, 4, Options{Quality: q.q}), 4, 4); !bytes.Equal(got, pix) {
				t.Fatalf("%v became %v", pix[:4], got[:4])
			}
		}
	}
}

// All modes that are meant to be used are, and an independent reader agrees on each.
func TestModesInUse(t *testing.T) {
	seen := map[int]int{}
	for _, pix := range samples() {
		blocks := encoded(t, pix, side, side, Options{Quality: Best})
		for ; len(blocks) > 0; blocks = blocks[16:] {
			block := [16]byte(blocks)
			readAlike(t, &block)
			c, _ := unpack(&block)
			seen[int(c.mode)]++
		}
	}
	for _, mode := range []int{1, 3, 4, 5, 6, 7} {
		if seen[mode] == 0 {
			t.Errorf("no block in mode %d: %v", mode, seen)
		}
	}
}

func TestQualityPays(t *testing.T) {
	var sse [3]int64
	for _, pix := range samples() {
		for i, q := range qualities {
			sse[i] += imagetest.SquaredError(pix, read(t, encoded(t, pix, side, side, Options{Quality: q.q}), side, side), 4)
		}
	}
	if !(sse[0] > sse[1] && sse[1] > sse[2]) {
		t.Errorf("errors of fast, normal and best: %d", sse)
	}
}

// A picture whose size is no multiple of four is as if its last column and row went on.
func TestEdgesRepeat(t *testing.T) {
	stone := samples()["stone"]
	for _, size := range [][2]int{{1, 1}, {3, 5}, {4, 4}, {5, 4}, {9, 7}} {
		w, h := size[0], size[1]
		wide, high := (w+3)/4*4, (h+3)/4*4
		var pix, padded []byte
		for y := range high {
			for x := range wide {
				from := 4 * (min(y, h-1)*side + min(x, w-1))
				padded = append(padded, stone[from:from+4]...)
				if x < w && y < h {
					pix = append(pix, stone[from:from+4]...)
				}
			}
		}
		got, want := encoded(t, pix, w, h, Options{}), encoded(t, padded, wide, high, Options{})
		if !bytes.Equal(got, want) {
			t.Errorf("%dx%d: %x, want %x", w, h, got, want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h int
		o              Options
		want           string
	}{
		{16, 64, 0, 4, Options{}, "0 by 4"},
		{16, 64, 4, -1, Options{}, "4 by -1"},
		{16, 64, 1 << 21, 4, Options{}, "by 4"},
		{16, 63, 4, 4, Options{}, "63 bytes are too few"},
		{15, 64, 4, 4, Options{}, "15 bytes are too few"},
		{16, 64, 4, 4, Options{Quality: 3}, "unknown quality"},
		{16, 64, 4, 4, Options{RDO: -1}, "at most 10 dB"},
		{16, 64, 4, 4, Options{RDO: 11}, "at most 10 dB"},
	} {
		err := Encode(t.Context(), make([]byte, c.dst), make([]byte, c.pix), c.w, c.h, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

func TestEncodeCancelled(t *testing.T) {
	pix := samples()["stone"]
	for _, o := range []Options{{}, {Quality: Best}, {RDO: 0.5}} {
		dst := make([]byte, Size(side, side))
		looks := side * side / 16 / blocksBetweenLooks
		for left := range looks {
			if err := Encode(&imagetest.Countdown{Context: t.Context(), Left: left}, dst, pix, side, side, o); err != context.Canceled {
				t.Errorf("%+v, after %d looks: %v", o, left, err)
			}
		}
	}
	// While blocks are shrunk as well.
	dst := make([]byte, Size(side, side))
	if err := Encode(&imagetest.Countdown{Context: t.Context(), Left: 20}, dst, pix, side, side, Options{RDO: 0.5}); err != context.Canceled {
		t.Errorf("while shrinking: %v", err)
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	for name, pix := range samples() {
		for _, q := range qualities {
			e := newEncoder(q.q)
			p := picture{pix, side, side}
			var pixels [64]byte
			n := testing.AllocsPerRun(10, func() {
				for at := range 16 {
					p.gather(&pixels, at*p.blocks()/16)
					e.encodeWeighed(&pixels)
				}
			})
			if n != 0 {
				t.Errorf("%s, %s: %v allocations", name, q.name, n)
			}
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(make([]byte, 64), make([]byte, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 255, 200, 100, 50, 255}, 8), bytes.Repeat([]byte{0x40}, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 0, 200, 100, 50, 255}, 8), bytes.Repeat([]byte{0x80}, 16))
	f.Fuzz(func(t *testing.T, pixels, block []byte) {
		if len(block) >= 16 {
			b := [16]byte(block)
			readAlike(t, &b)
		}
		if len(pixels) < 64 {
			return
		}
		for _, q := range qualities {
			e := newEncoder(q.q)
			e.exact = true
			p := [64]byte(pixels)
			b := e.encode(&p)
			var decoded [64]byte
			DecodeBlock(&decoded, &b)
			if sse := imagetest.SquaredError(p[:], decoded[:], 4); sse != e.sse {
				t.Fatalf("error %d, thought to be %d", sse, e.sse)
			}
		}
	})
}

func ExampleEncode() {
	const w, h = 8, 4
	pix := make([]byte, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []byte{byte(30 * (i % w)), 100, 200, 255})
	}
	blocks := make([]byte, Size(w, h))
	if err := Encode(context.Background(), blocks, pix, w, h, Options{Quality: Best}); err != nil {
		fmt.Println(err)
		return
	}
	var first [64]byte
	DecodeBlock(&first, (*[16]byte)(blocks))
	fmt.Println(len(blocks), first[:8])
	// Output: 32 [1 101 201 255 30 100 200 255]
}
