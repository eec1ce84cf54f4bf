package pixmap

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mips(t testing.TB, m *Map, o MipOptions) []*Map {
	t.Helper()
	levels, err := Mips(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

func TestMipExamples(t *testing.T) {
	red, green := []byte{255, 0, 0, 255}, []byte{0, 255, 0, 0}
	black, white := []byte{0, 0, 0, 255}, []byte{255, 255, 255, 255}
	clear, clearBlue := []byte{0, 0, 0, 0}, []byte{0, 0, 255, 0}
	data, linear := Sampling{Color: Data}, Sampling{Color: Linear}
	for _, tc := range []struct {
		name string
		w, h int
		s    Sampling
		pix  [][]byte
		want []byte
	}{
		{"alpha weighs color", 2, 2, Sampling{}, [][]byte{red, green, green, green}, []byte{255, 0, 0, 64}},
		{"also in a row", 4, 1, Sampling{}, [][]byte{red, green, green, green}, []byte{255, 0, 0, 64}},
		{"also with odd sides", 3, 1, Sampling{}, [][]byte{red, green, green}, []byte{255, 0, 0, 85}},
		{"also in light", 2, 2, linear, [][]byte{red, green, green, green}, []byte{255, 0, 0, 64}},
		{"not if that is done", 2, 2, Sampling{Color: Linear, Premultiplied: true}, [][]byte{red, clear, clear, clear}, []byte{64, 0, 0, 64}},
		{"checkerboard in light", 2, 2, Sampling{}, [][]byte{black, white, white, black}, []byte{188, 188, 188, 255}},
		{"checkerboard of light", 2, 2, linear, [][]byte{black, white, white, black}, []byte{128, 128, 128, 255}},
		{"checkerboard as data", 2, 2, data, [][]byte{black, white, white, black}, []byte{128, 128, 128, 255}},
		{"data ignores alpha", 2, 2, data, [][]byte{red, green, green, green}, []byte{64, 191, 0, 64}},
		{"unseen colors go on", 2, 2, Sampling{}, [][]byte{green, green, green, green}, []byte{0, 255, 0, 0}},
		{"unseen colors mix", 2, 1, Sampling{}, [][]byte{clear, clearBlue}, []byte{0, 0, 188, 0}},
		{"one pixel in three", 3, 3, data, [][]byte{white, black, black, black, black, black, black, black, black}, []byte{28, 28, 28, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := of(tc.w, tc.h, bytes.Join(tc.pix, nil)...)
			levels := mips(t, m, MipOptions{Sampling: tc.s})
			if d := cmp.Diff(tc.want, levels[len(levels)-1].Pix8); d != "" {
				t.Error(d)
			}
			// Maps of 16 bits and of floats use different code, which must give the same results.
			levels = mips(t, deep(m, Bits16), MipOptions{Sampling: tc.s})
			for c, want := range tc.want {
				got := levels[len(levels)-1].Pix16[c]
				if math.Abs(float64(got)/257-float64(want)) > 0.6 {
					t.Errorf("16 bits: channel %d is %d, want about %d", c, got, 257*int(want))
				}
			}
			if tc.s.Color == SRGB {
				return // maps of floats are always linear light
			}
			levels = mips(t, deep(m, Float), MipOptions{Sampling: tc.s})
			for c, want := range tc.want {
				got := levels[len(levels)-1].PixF[c]
				if math.Abs(255*float64(got)-float64(want)) > 0.51 {
					t.Errorf("floats: channel %d is %v, want about %v", c, got, float64(want)/255)
				}
			}
		})
	}
}

func TestMipSizes(t *testing.T) {
	for _, f := range []Filter{Box, Kaiser} {
		var got [][2]int
		m := New(13, 3, Bits8)
		levels := mips(t, m, MipOptions{Sampling: Sampling{Filter: f}})
		for _, l := range levels {
			got = append(got, [2]int{l.W, l.H})
		}
		if d := cmp.Diff([][2]int{{13, 3}, {6, 1}, {3, 1}, {1, 1}}, got); d != "" {
			t.Error(d)
		}
		if levels[0] != m {
			t.Error("level 0 is not the map")
		}
		for n := 1; n <= 5; n++ {
			if got := len(mips(t, m, MipOptions{Sampling: Sampling{Filter: f}, Levels: n})); got != min(n, 4) {
				t.Errorf("%d levels of %d wanted", got, n)
			}
		}
	}
}

// TestOneColorStaysInAllMips checks that an image of one color has exactly that color at all
// levels, with every filter, depth and size.
func TestOneColorStaysInAllMips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 37).Draw(rt, "w"), rapid.IntRange(1, 37).Draw(rt, "h")
		c := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(rt, "color")
		d := rapid.SampledFrom([]Depth{Bits8, Bits16, Float}).Draw(rt, "depth")
		s := Sampling{
			Filter: rapid.SampledFrom([]Filter{Box, Kaiser, Mitchell}).Draw(rt, "filter"),
			Color:  rapid.SampledFrom([]Color{SRGB, Linear, Data}).Draw(rt, "color"),
			WrapX:  rapid.SampledFrom([]Wrap{Clamp, Repeat}).Draw(rt, "wrap"),
		}
		m := deep(of(w, h, bytes.Repeat(c, w*h)...), d)
		for i, l := range mips(t, m, MipOptions{Sampling: s}) {
			for j := range 4 * l.W * l.H {
				same := true
				switch d {
				case Bits8:
					same = l.Pix8[j] == c[j%4]
				case Bits16:
					same = l.Pix16[j] == m.Pix16[j%4]
				case Float:
					same = l.PixF[j] == m.PixF[j%4]
				}
				if !same {
					rt.Fatalf("level %d is not all %v", i, c)
				}
			}
		}
	})
}

// banders returns banders for the n levels below m. Each bander collects one whole level and passes
// it to the function take.
func banders(m *Map, n int, take func(int, *Map) error) []*bander {
	list := make([]*bander, n)
	w, h := m.W, m.H
	for i := range list {
		w, h = max(1, w/2), max(1, h/2)
		list[i] = newBander(i+1, w, h, m.Depth(), MipOptions{Whole: true}, take)
	}
	return list
}

func gather(levels *[]*Map) func(int, *Map) error {
	return func(_ int, m *Map) error {
		*levels = append(*levels, m)
		return nil
	}
}

// TestBandsAreLevels checks that the bands of a level are its rows, in order. All bands except the
// last consist of whole blocks.
func TestBandsAreLevels(t *testing.T) {
	for _, size := range [][2]int{{2000, 150}, {7, 5}, {1, 40}, {5, 1}} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			for _, o := range []MipOptions{
				{}, {Coverage: 0.5}, {Sampling: Sampling{Filter: Kaiser}}, {Sampling: Sampling{Filter: Mitchell, WrapY: Repeat}, Levels: 3}, {Block: 6},
			} {
				m := New(size[0], size[1], Bits8)
				noise(m.Pix8, false)
				m = deep(m, d)
				want, got, bands := mips(t, m, o), []*Map{m}, 0
				err := MipBands(t.Context(), m, o, func(level int, b *Map) error {
					if level == len(got) {
						got = append(got, &Map{W: b.W})
					}
					l := got[level]
					rows := 4
					if o.Block > 0 {
						rows = o.Block
					}
					if l.H%rows != 0 || b.H < 1 {
						t.Fatalf("level %d: a band of %d rows after %d", level, b.H, l.H)
					}
					l.H += b.H
					l.Pix8, l.Pix16, l.PixF = append(l.Pix8, b.Pix8...), append(l.Pix16, b.Pix16...), append(l.PixF, b.PixF...)
					clear(b.Pix8) // the caller may change the band
					bands++
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != len(want) {
					t.Fatalf("%v, depth %d, %+v: %d levels, want %d", size, d, o, len(got), len(want))
				}
				for i, l := range want {
					g := got[i]
					if g.W != l.W || g.H != l.H || !slices.Equal(g.Pix8, l.Pix8) || !slices.Equal(g.Pix16, l.Pix16) || !slices.Equal(g.PixF, l.PixF) {
						t.Errorf("%v, depth %d, %+v: level %d differs", size, d, o, i)
					}
				}
				if many := bands > len(got)-1; many != (size[0] > 1000 && !o.needsWhole()) {
					t.Errorf("%v, depth %d, %+v: %d bands of %d levels", size, d, o, bands, len(got))
				}
			}
		}
	}
}

func TestErrorOfTakeEndsMipBands(t *testing.T) {
	full := errors.New("full")
	for _, f := range []Filter{Box, Kaiser} {
		n := 0
		err := MipBands(t.Context(), New(64, 64, Bits8), MipOptions{Sampling: Sampling{Filter: f}}, func(int, *Map) error {
			n++
			return full
		})
		if !errors.Is(err, full) || n != 1 {
			t.Errorf("%v: error %v after %d bands", f, err, n)
		}
	}
}

// TestBoxesAgree compares the box filter in integers with the one in floats. Values differ by at
// most one.
func TestBoxesAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(rt, "w"), rapid.IntRange(1, 40).Draw(rt, "h")
		s := Sampling{Color: rapid.SampledFrom([]Color{SRGB, Linear, Data}).Draw(rt, "color")}
		s.Normal = s.Color == Data && rapid.Bool().Draw(rt, "normal")
		m := New(w, h, Bits8)
		noise(m.Pix8, rapid.Bool().Draw(rt, "opaque"))
		m.Pix8[2], m.Pix8[len(m.Pix8)-2] = 0, 255 // makes blue vary
		n := levelCount(w, h) - 1
		if n == 0 {
			return
		}
		var whole, floats []*Map
		if err := newPyramid(m, banders(m, n, gather(&whole)), s).buildLevels(t.Context(), m); err != nil {
			rt.Fatal(err)
		}
		if err := filterMips(t.Context(), newLight(m, s), banders(m, n, gather(&floats)), s); err != nil {
			rt.Fatal(err)
		}
		sort.Slice(whole, func(i, j int) bool { return whole[i].W*whole[i].H > whole[j].W*whole[j].H })
		sort.Slice(floats, func(i, j int) bool { return floats[i].W*floats[i].H > floats[j].W*floats[j].H })
		for i := range n {
			for j, v := range whole[i].Pix8 {
				// Near black, rounding to 16 bits before rounding to 8 can change a byte by one.
				if off := int(v) - int(floats[i].Pix8[j]); off > 1 || off < -1 {
					rt.Fatalf("level %d byte %d is %d and %d", i+1, j, v, floats[i].Pix8[j])
				}
			}
		}
	})
}

// TestMipMemory checks that MipBands allocates at most MipMemory, and little compared with the map.
func TestMipMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	for _, d := range []Depth{Bits8, Bits16, Float} {
		for _, o := range []MipOptions{
			{}, {Sampling: Sampling{Filter: Kaiser}}, {Coverage: 0.5}, {Sampling: Sampling{Filter: Mitchell, WrapY: Repeat}},
			{Sampling: Sampling{Color: Data, Normal: true}},
		} {
			for _, size := range [][2]int{{300, 200}, {1100, 1100}, {1, 3000}, {1023, 17}, {65535, 1}} {
				if size[0] > 10_000 && (o.Filter != Box || d != Bits8 || o.Normal) {
					continue // the length of rows matters only for the fast box filter
				}
				m := New(size[0], size[1], d)
				make := func() {
					if err := MipBands(t.Context(), m, o, func(int, *Map) error { return nil }); err != nil {
						t.Fatal(err)
					}
				}
				make() // the first call computes the tables
				limit := MipMemory(size[0], size[1], d, o)
				got := allocated(make)
				if got > limit || limit > 4*got+3*curveMemory {
					t.Errorf("depth %d, %+v, %v: allocated %d bytes, estimated %d", d, o, size, got, limit)
				}
				if !o.needsWhole() && size[1] > 1000 && size[0] > 1000 && got > int64(m.Bytes())/4+1<<20 {
					t.Errorf("depth %d, %+v, %v: allocated %d bytes beside %d", d, o, size, got, m.Bytes())
				}
			}
		}
	}
}

// Mips returns m and its smaller levels as whole maps.
func Mips(ctx context.Context, m *Map, o MipOptions) ([]*Map, error) {
	levels := []*Map{m}
	o.Whole = true
	err := MipBands(ctx, m, o, func(level int, band *Map) error {
		for len(levels) <= level {
			levels = append(levels, nil)
		}
		levels[level] = band
		return nil
	})
	return levels, err
}
