package texenc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/parallel"
)

// scene is an image of eight bits with a gradient, edges, noise, flat color, and a soft round
// alpha. It is computed from integers.
func scene(w, h int) *pixmap.Map {
	m := pixmap.New(w, h, pixmap.Bits8)
	random := uint32(1)
	for y := range h {
		for x := range w {
			random = random*1664525 + 1013904223
			r, g, b := 255*x/w, 255*y/h, 255-255*x/w
			switch {
			case y < h/4:
				noise := int(random >> 27)
				r, g, b = r/2+noise, g+noise*2, 90+noise
			case x > w/2 && y > h/2:
				r, g, b = 200, 40+160*(x/5%2), 30
			case x < w/4 && y > 3*h/4:
				r, g, b = 17, 99, 201
			}
			dx, dy := 200*(2*x-w)/w, 200*(2*y-h)/h
			a := max(0, min(255, 400-(dx*dx+dy*dy)/100))
			at := 4 * (w*y + x)
			m.Pix8[at], m.Pix8[at+1], m.Pix8[at+2], m.Pix8[at+3] = byte(min(255, r)), byte(min(255, g)), byte(min(255, b)), byte(a)
		}
	}
	return m
}

// deep returns the scene in 16 bits. The low byte of a value is not a copy of the high byte.
func deep(w, h int) *pixmap.Map {
	m, from := pixmap.New(w, h, pixmap.Bits16), scene(w, h)
	for i, v := range from.Pix8 {
		m.Pix16[i] = uint16(v)<<8 | uint16(i*37&0xff)
	}
	return m
}

// bright returns the scene as linear light from 0 to 16.
func bright(w, h int) *pixmap.Map {
	m, from := pixmap.New(w, h, pixmap.Float), scene(w, h)
	for i, v := range from.Pix8 {
		x := float32(v) / 255
		m.PixF[i] = 16 * x * x
		if i%4 == 3 {
			m.PixF[i] = x
		}
	}
	return m
}

func encode(t testing.TB, f texture.Format, m *pixmap.Map, o Options) []byte {
	t.Helper()
	out, err := Encode(t.Context(), f, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := f.Bytes(m.W, m.H); int64(len(out)) != want {
		t.Fatalf("%v: %d bytes, want %d", f, len(out), want)
	}
	return out
}

// TestDepthsAgree checks that maps of 16 bits and of floats are encoded to the same bytes as a map
// of 8 bits with the same values.
func TestDepthsAgree(t *testing.T) {
	m := scene(32, 24)
	wide, light := pixmap.New(32, 24, pixmap.Bits16), pixmap.New(32, 24, pixmap.Float)
	for i, v := range m.Pix8 {
		wide.Pix16[i] = 257 * uint16(v)
		light.PixF[i] = float32(v) / 255
		if i%4 < 3 {
			light.PixF[i] = srgbCurve().light[v]
		}
	}
	for _, f := range texture.Formats() {
		want := encode(t, f, m, Options{SRGB: true})
		if got := encode(t, f, wide, Options{SRGB: true}); !bytes.Equal(got, want) {
			t.Errorf("%v: 16 bits differ from 8", f)
		}
		if !f.HasSRGB() && !f.Float() {
			continue // this format stores linear light, which differs from sRGB bytes
		}
		if got := encode(t, f, light, Options{SRGB: true}); !bytes.Equal(got, want) {
			t.Errorf("%v: floats differ from 8 bits", f)
		}
	}
}

func TestBC7Options(t *testing.T) {
	m := scene(64, 64)
	plain := encode(t, texture.BC7, m, Options{Quality: Normal})
	for name, o := range map[string]Options{
		"quality":     {Quality: Best},
		"weigh alpha": {Quality: Normal, WeighAlpha: true},
		"rdo":         {Quality: Normal, RDO: 1},
	} {
		if bytes.Equal(encode(t, texture.BC7, m, o), plain) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestETC2Options(t *testing.T) {
	m := scene(64, 64)
	plain := encode(t, texture.ETC2RGBA, m, Options{Quality: Normal})
	for name, o := range map[string]Options{
		"quality":     {Quality: Best},
		"weigh alpha": {Quality: Normal, WeighAlpha: true},
	} {
		if bytes.Equal(encode(t, texture.ETC2RGBA, m, o), plain) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestASTCOptions(t *testing.T) {
	m := scene(64, 64)
	plain := encode(t, texture.ASTC6x6, m, Options{Quality: Normal})
	for name, o := range map[string]Options{
		"quality":     {Quality: Best},
		"weigh alpha": {Quality: Normal, WeighAlpha: true},
	} {
		if bytes.Equal(encode(t, texture.ASTC6x6, m, o), plain) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestEdgesRepeat(t *testing.T) {
	for _, m := range []*pixmap.Map{scene(13, 6), deep(13, 6), bright(13, 6)} {
		for _, f := range texture.Formats() {
			wide, high, _ := f.Block()
			if wide == 1 {
				continue
			}
			w, h := (13+wide-1)/wide*wide, (6+high-1)/high*high
			full := pixmap.New(w, h, m.Depth())
			for y := range h {
				for x := range w {
					from, to := 4*(13*min(y, 5)+min(x, 12)), 4*(w*y+x)
					switch m.Depth() {
					case pixmap.Bits8:
						copy(full.Pix8[to:to+4], m.Pix8[from:])
					case pixmap.Bits16:
						copy(full.Pix16[to:to+4], m.Pix16[from:])
					case pixmap.Float:
						copy(full.PixF[to:to+4], m.PixF[from:])
					}
				}
			}
			if !bytes.Equal(encode(t, f, m, Options{}), encode(t, f, full, Options{})) {
				t.Errorf("%v: blocks at the edge differ from those of a larger image", f)
			}
		}
	}
}

// TestGolden checks that the texels are the same bytes on every machine. Encoders that take bytes
// have similar tests in their own packages.
func TestGolden(t *testing.T) {
	want := map[texture.Format]string{}
	for line := range strings.Lines(golden) {
		var name, sum string
		if _, err := fmt.Sscan(line, &name, &sum); err == nil {
			f, err := texture.ParseFormat(name)
			if err != nil {
				t.Fatal(err)
			}
			want[f] = sum
		}
	}
	for _, f := range texture.Formats() {
		if TakesBytes(f) {
			continue
		}
		h := sha256.New()
		for _, m := range []*pixmap.Map{scene(40, 28), deep(40, 28), bright(40, 28)} {
			for q := Fast; q <= Best; q++ {
				h.Write(encode(t, f, m, Options{Quality: q}))
				h.Write(encode(t, f, m, Options{Quality: q, SRGB: true}))
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)[:16]); got != want[f] {
			t.Errorf("%v %s, want %q", f, got, want[f])
		}
	}
}

// looks is a context that is canceled after the given number of checks.
type looks struct {
	context.Context
	left, seen int
}

func (l *looks) Err() error {
	l.seen++
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestEncodeStopsWhenCancelled(t *testing.T) {
	m := bright(1024, 64) // the image has 4096 blocks
	for _, f := range texture.Formats() {
		ctx := &looks{Context: t.Context(), left: math.MaxInt}
		if _, err := Encode(ctx, f, m, Options{}); err != nil {
			t.Fatal(err)
		}
		least := 4096 / blocksBetweenLooks
		if wide, _, _ := f.Block(); wide == 1 {
			least = 1024 * 64 / texelsBetweenLooks
		}
		if TakesBytes(f) || f.IsASTCHDR() { // packages of these formats test this themselves
			least = 4
		}
		if ctx.seen < least {
			t.Errorf("%v: looks %d times, want %d", f, ctx.seen, least)
		}
		ctx = &looks{Context: t.Context(), left: 2}
		if _, err := Encode(ctx, f, m, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v, want cancelled", f, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	small := scene(4, 4)
	for _, tc := range []struct {
		want   string
		format texture.Format
		m      *pixmap.Map
		o      Options
	}{
		{"format is unknown", 0, small, Options{}},
		{"format is unknown", 99, small, Options{}},
		{"size 0 x 4", texture.BC1, &pixmap.Map{H: 4}, Options{}},
		{"the number of values, 64, does not match 4 x 5 pixels", texture.BC1, &pixmap.Map{W: 4, H: 5, Pix8: small.Pix8}, Options{}},
		{"quality 3", texture.BC1, small, Options{Quality: 3}},
	} {
		if _, err := Encode(t.Context(), tc.format, tc.m, tc.o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestMemory checks that Append uses at most as much memory as Memory predicts, and not much less.
// With RDO, Append may free a large part of this memory early.
func TestMemory(t *testing.T) {
	for _, m := range []*pixmap.Map{scene(256, 192), deep(256, 192), bright(256, 192)} {
		for _, f := range texture.Formats() {
			for _, o := range []Options{{SRGB: true}, {RDO: 1}} {
				if o.RDO > 0 {
					if !HasRDO(f) {
						continue
					}
					m = m.Band(0, 64) // the image is small, because the encoder is slow
				}
				m := m
				if f.IsASTC() || f.IsASTCHDR() {
					m = m.Band(0, 10) // the image is a single piece, which needs a single encoder
				}
				dst := make([]byte, 0, f.Bytes(m.W, m.H))
				work := func() {
					e := Encoder{Format: f, Options: o}
					if _, err := e.Append(t.Context(), dst, m); err != nil {
						t.Fatal(err)
					}
				}
				work() // the first call computes the tables
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				work()
				runtime.ReadMemStats(&after)
				got, said := int64(after.TotalAlloc-before.TotalAlloc), Memory(f, m.Depth(), m.W, m.H, o)-tables
				if f.IsASTC() || f.IsASTCHDR() {
					said -= astcTables
				}
				if got > said+64<<10 || got < said-64<<10 {
					t.Errorf("%v, depth %d, %+v: allocates %d bytes besides tables, Memory says %d", f, m.Depth(), o, got, said)
				}
			}
		}
	}
}

// TestBands checks that encoding an image in bands of whole blocks gives the same texels as
// encoding it at once.
func TestBands(t *testing.T) {
	for _, m := range []*pixmap.Map{scene(37, 29), deep(37, 29), bright(37, 29)} {
		for _, f := range texture.Formats() {
			e := Encoder{Format: f, Options: Options{SRGB: true}}
			var got []byte
			_, high, _ := f.Block()
			for y := 0; y < m.H; y += 2 * max(4, high) {
				var err error
				if got, err = e.Append(t.Context(), got, m.Band(y, 2*max(4, high))); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, encode(t, f, m, e.Options)) {
				t.Errorf("%v, depth %d: bands differ", f, m.Depth())
			}
		}
	}
}

// TestPieces checks that the texels do not depend on the order of the pieces, or on the goroutines
// that encode them.
func TestPieces(t *testing.T) {
	shared := map[string]Each{
		"backwards": func(_ context.Context, n int, do func(int) error) error {
			for i := n - 1; i >= 0; i-- {
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for _, cores := range []int{1, 2, 7} {
		c := parallel.NewCores(cores)
		shared[fmt.Sprint(cores, " cores")] = c.Each
	}
	for _, m := range []*pixmap.Map{scene(333, 219), deep(333, 219), bright(333, 219)} {
		for _, f := range texture.Formats() {
			m := m // some pieces, and few because encoders are slow
			if wide, _, _ := f.Block(); f.IsASTC() || f.IsASTCHDR() {
				m = m.Band(0, 24)
			} else if wide > 1 {
				m = m.Band(0, 48)
			}
			o := Options{SRGB: true, WeighAlpha: true}
			want := encode(t, f, m, o)
			for name, each := range shared {
				pieces := 0
				e := Encoder{Format: f, Options: o, Each: func(ctx context.Context, n int, do func(int) error) error {
					pieces = n
					return each(ctx, n, do)
				}}
				got, err := e.Append(t.Context(), []byte("head"), m)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, append([]byte("head"), want...)) {
					t.Errorf("%v, depth %d, %s: another texture", f, m.Depth(), name)
				}
				if pieces < 2 {
					t.Errorf("%v: %d pieces", f, pieces)
				}
			}
		}
	}
	// With RDO, a block depends on earlier blocks, so Append must not call Each.
	m := scene(128, 64)
	var e Encoder
	for _, f := range []texture.Format{texture.BC7, texture.ASTC6x6, texture.UASTC} {
		e = Encoder{Format: f, Options: Options{RDO: 1}, Each: func(context.Context, int, func(int) error) error {
			t.Errorf("%v: RDO is shared out", f)
			return nil
		}}
		if _, err := e.Append(t.Context(), nil, m); err != nil {
			t.Fatal(err)
		}
	}
	// Append returns the error of a piece.
	failure := errors.New("failure")
	e = Encoder{Format: texture.BC1, Each: func(context.Context, int, func(int) error) error { return failure }}
	if _, err := e.Append(t.Context(), nil, scene(333, 219)); err != failure {
		t.Errorf("error %v", err)
	}
}

func BenchmarkEncode(b *testing.B) {
	m := scene(256, 256)
	for _, f := range texture.Formats() {
		for q := Fast; q <= Best; q++ {
			if wide, _, _ := f.Block(); wide == 1 && q > Fast {
				continue
			}
			b.Run(fmt.Sprintf("%v-%d", f, q), func(b *testing.B) {
				b.SetBytes(int64(m.W * m.H)) // MB/s in the result are megapixels per second
				for b.Loop() {
					encode(b, f, m, Options{Quality: q})
				}
			})
		}
	}
}

// TestSolidPairsAreTheBest checks that each pair has the smallest error of all pairs. Of equally
// good pairs, it must be the first.
func TestSolidPairsAreTheBest(t *testing.T) {
	for i, steps := range [2]int{3, 2} {
		for j, bits := range [2]int{5, 6} {
			wide := func(x int) int { return x<<(8-bits) | x>>(2*bits-8) }
			for v, got := range solidPairs()[i][j] {
				var want pair
				best := 1 << 30
				for a := range 1 << bits {
					for b := range 1 << bits {
						miss := (steps-1)*wide(a) + wide(b) - steps*v
						spread := wide(a) - wide(b)
						if cost := 1000*max(miss, -miss) + max(spread, -spread); cost < best {
							best, want = cost, pair{uint8(a), uint8(b)}
						}
					}
				}
				if got != want {
					t.Errorf("%d in %d steps of %d bits: %v, want %v", v, steps, bits, got, want)
				}
			}
		}
	}
}

// golden holds the first halves of SHA-256 sums. The sums are of the scene in each format, encoded
// in all depths and qualities, with and without sRGB.
const golden = `
bc1 443a2c511f0e9994607371c00699965d
bc1a 155ac97804c94c42e3cdadb70af0e54f
bc3 236f756a105976e6e174ed6a51522a36
bc4 e18f00652627bfa8916729f04657d568
bc5 2613873e800fb9416ddc696f86acfa0f
bc6h 58460d6e52486022b9231c5ed4d50e30
eacr11 71cb5fe56e78614d57c3f50d59eb84c0
eacrg11 54690f55e365c76b4a1a6a3de4921425
r8 99c1d0d54b7b2f0b064520b80b6d2a2a
rg8 f8ad2997eed377321aa5fcf456d158f8
rgba8 31965e8fbf70bfbd80489b8df0f89f89
rgb10a2 61395498befa507546cd753e6554d4da
r16 4260dc4dbfa117c317ce8a8dcec1adbe
rg16 bd3abc13d796204349996bebd395858d
rgba16 079d810fc7235cc01b66177b84ab046a
r16f d7d5ff2f98b4db414a0f5bacb83ffd2a
r32f 6c824be1d969f66be2d510b43129c2fe
rgba16f 29327b9aadefaac93cf7cfccbfcc9912
astc4x4-hdr 384ad665cbfc26fb1bc1362c0749a5a0
astc5x4-hdr 5e5fad3cc54bbb7ade97a7f44936fe2d
astc5x5-hdr 6a216b4b4632c095145b348dbdb7dc54
astc6x5-hdr e773df189a17a4f882882fb7279c5b2e
astc6x6-hdr 42d78e0fba710e95fbce70b8f91e18d3
astc8x5-hdr b10c3a81478aece75268e47986b0375b
astc8x6-hdr 3a2898dae8b45aa44872e760f8a13bd9
astc8x8-hdr 5824bb553f8570ba82e9d61d97fe6e7c
astc10x5-hdr 8c49ce572ec68c1d3d58111f6111b008
astc10x6-hdr bdcfad739b6bf2a4789924e486d31040
astc10x8-hdr 4cf423b58beccf178b9668fd4317ad53
astc10x10-hdr edfcc25e4489681952a098ac7c49fd70
astc12x10-hdr bfdd7d02c44992bafd0923cc45df51a9
astc12x12-hdr 7889e851bcd6d362d6c81262d63b2fbb
uastc-hdr 890afa308aaa8c0f616cf4c9f19d2942
`
