package main

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/image/hdr"
	"pgregory.net/rapid"
)

// decodeHDR returns the picture's size and its red, green, blue and alpha.
func decodeHDR(t interface{ Fatal(...any) }, data []byte) (w, h int, pix []float32) {
	p, err := hdr.Decode(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	pix = make([]float32, 4*p.Width*p.Height)
	for y := range p.Height {
		p.Row(pix[4*p.Width*y:4*p.Width*(y+1)], y)
	}
	return p.Width, p.Height, pix
}

// TestHDRRoundTrip decodes what the encoder wrote. A mantissa has eight bits, the
// largest of a pixel uses the highest, and what does not fit is cut off.
func TestHDRRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(8, 300).Draw(t, "w"), rapid.IntRange(1, 3).Draw(t, "h")
		lights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) radiance {
			level := rapid.Uint64Range(0, 40).Draw(t, "level")
			at := rapid.Int64Range(0, 1<<level)
			return radiance{at.Draw(t, "r"), at.Draw(t, "g"), at.Draw(t, "b")}
		}), 1, 6).Draw(t, "lights")
		run := rapid.IntRange(1, 140).Draw(t, "run")
		at := func(x, y int) radiance { return lights[pick(x/run, y, 1, len(lights))] }

		gotW, gotH, pix := decodeHDR(t, encodeHDR(w, h, at))
		if gotW != w || gotH != h {
			t.Fatalf("%d x %d pixels, want %d x %d", gotW, gotH, w, h)
		}
		for i := range w * h {
			want := at(i%w, i/w)
			step := float64(max(want[0], want[1], want[2])) / 128
			for c := range 3 {
				got := float64(pix[4*i+c]) * 256
				if over := float64(want[c]) - got; over < 0 || over > step {
					t.Fatalf("pixel %d, channel %d: %g, want %d less at most %g", i, c, got, want[c], step)
				}
			}
		}
	})
}

// TestSun holds what the file is for: light that no other format of the tree has,
// ahead and to the right.
func TestSun(t *testing.T) {
	w, h, pix := decodeHDR(t, generate(t)["textures/sky/sun.hdr"])
	if w != 64 || h != 32 {
		t.Fatalf("%d x %d pixels, want 64 x 32", w, h)
	}
	green := func(x, y int) float32 { return pix[4*(y*w+x)+1] }
	best := image.Point{}
	for i := range w * h {
		if green(i%w, i/w) > green(best.X, best.Y) {
			best = image.Pt(i%w, i/w)
		}
	}
	if best.X <= w/2 || best.X >= w*3/4 || best.Y >= h/2 || best.Y <= h/4 {
		t.Errorf("the sun stands at %v, want right of the middle and above the horizon", best)
	}
	if sun, sky := green(best.X, best.Y), green(0, h/4); sky <= 0 || sun < 5000*sky {
		t.Errorf("the sun is %g, the sky %g; want 5000 times as much", sun, sky)
	}
}

// TestCrossRays holds that the faces of the cube fit together: pixels on both sides of
// an edge look almost the same way, and no pixel of a face as one of another does.
func TestCrossRays(t *testing.T) {
	const n = 32
	neighbours := func(ax, ay, bx, by int) {
		t.Helper()
		a, okA := crossRay(n, ax, ay)
		b, okB := crossRay(n, bx, by)
		if !okA || !okB || max(a.x-b.x, b.x-a.x) > 1 || max(a.y-b.y, b.y-a.y) > 1 || max(a.z-b.z, b.z-a.z) > 1 {
			t.Errorf("pixel %d,%d looks to %v, its neighbour %d,%d to %v", ax, ay, a, bx, by, b)
		}
	}
	for i := range n {
		neighbours(n+i, n-1, n+i, n)             // +y +z
		neighbours(n+i, 2*n-1, n+i, 2*n)         // +z -y
		neighbours(n-1, n+i, n, n+i)             // -x +z
		neighbours(2*n-1, n+i, 2*n, n+i)         // +z +x
		neighbours(3*n-1, n+i, 3*n, n+i)         // +x -z
		neighbours(4*n-1, n+i, 0, n+i)           // -z -x
		neighbours(i, n, n, i)                   // -x +y
		neighbours(2*n+i, n, 2*n-1, n-1-i)       // +x +y
		neighbours(3*n+i, n, 2*n-1-i, 0)         // -z +y
		neighbours(i, 2*n-1, n, 3*n-1-i)         // -x -y
		neighbours(2*n+i, 2*n-1, 2*n-1, 2*n+i)   // +x -y
		neighbours(3*n+i, 2*n-1, 2*n-1-i, 3*n-1) // -z -y
	}
	seen := make(map[direction]bool)
	for y := range 3 * n {
		for x := range 4 * n {
			if d, ok := crossRay(n, x, y); ok {
				seen[d] = true
			}
		}
	}
	if len(seen) != 6*n*n {
		t.Errorf("%d different rays, want %d", len(seen), 6*n*n)
	}
	if d, _ := crossRay(n, n+n/2, n+n/2); d != (direction{1, -1, n}) {
		t.Errorf("the middle looks to %v, want ahead", d)
	}
}

// TestSkyCross looks at the picture itself.
func TestSkyCross(t *testing.T) {
	const n = 32
	img := skyCross(n)
	if up, down := img.NRGBAAt(n+n/2, n/2), img.NRGBAAt(n+n/2, 2*n+n/2); int(up.B) < int(up.R)*3/2 || down.B > down.R || down.R > 100 {
		t.Errorf("zenith %v, nadir %v; want blue above and dark earth below", up, down)
	}
	if c := img.NRGBAAt(0, 0); c != (color.NRGBA{A: 255}) {
		t.Errorf("beside the faces it is %v, want black", c)
	}
	if c := img.NRGBAAt(n*7/4, n*5/4); c.R < 250 {
		t.Errorf("no sun ahead and to the right, but %v", c)
	}
}
