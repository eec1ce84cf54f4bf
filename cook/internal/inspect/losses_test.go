package inspect_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// leaning is a normal map.
func leaning(t *testing.T, side int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		x, y := math.Sin(float64(i%side)/9)/3, math.Cos(float64(i/side)/7)/3
		at := func(v float64) uint8 { return uint8(127.5*v + 128) }
		m.SetNRGBA(i%side, i/side, color.NRGBA{at(x), at(y), at(math.Sqrt(1 - x*x - y*y)), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Textures tell their roles, are compared with what their recipe prepared, and can be chosen
// by role and format and ordered by what they lost.
func TestRolesOfLosses(t *testing.T) {
	s := newSite(t, map[string][]byte{
		"wall_normal.png": leaning(t, 64), "wall_albedo.png": painting(t, 64, 64), "turned.png": painting(t, 32, 32),
		"cook.toml": []byte("[[rule]]\nmatch = \"turned.png\"\nr = \"b\"\nflip = \"x\"\nfit = 16\n"),
	})
	type row struct {
		Path, Note, Role string
		Why              string `json:"role_why"`
		PSNR, Angle      *float64
		Width, Levels    int
	}
	type answer struct {
		Of, Done, Matched int
		Rows              []row
		Roles             []struct{ Name string }
	}
	ask := func(query map[string]any) (got answer) {
		for got.Done = -1; got.Done != got.Of; { // it goes on while it is asked
			got = answer{}
			if err := s.post("losses", query, &got); err != "" {
				t.Fatal(err)
			}
		}
		return got
	}
	all := ask(map[string]any{"sort": "path"})
	if all.Matched != 3 || len(all.Roles) != 2 {
		t.Fatalf("%+v", all)
	}
	for _, r := range all.Rows {
		normal := r.Path == "wall_normal.png"
		// Small pictures stay exact: no PSNR.
		if exact := r.Path == "turned.png"; exact != (r.PSNR == nil) || r.Why == "" || normal != (r.Role == "normal") || normal != (r.Angle != nil) {
			t.Errorf("%+v", r)
		} else if exact && (r.Note != "the same pixels as the source" || r.Width != 16 || r.Levels != 5) {
			t.Errorf("%+v", r)
		}
	}
	if got := ask(map[string]any{"role": "normal"}); got.Matched != 1 || got.Rows[0].Path != "wall_normal.png" || *got.Rows[0].Angle > 3 {
		t.Errorf("%+v", got)
	}
	for _, down := range []bool{false, true} {
		if got := ask(map[string]any{"sort": "angle", "down": down}); got.Rows[0].Angle == nil {
			t.Errorf("what has no angle is first: %+v", got.Rows)
		}
	}
	if got := ask(map[string]any{}).Rows; *got[0].PSNR > *got[1].PSNR || got[2].PSNR != nil {
		t.Errorf("%+v", got)
	}
	if got := ask(map[string]any{"format": "none"}); got.Matched != 0 {
		t.Errorf("%+v", got.Rows)
	}
}
