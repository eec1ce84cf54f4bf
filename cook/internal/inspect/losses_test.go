package inspect_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"
)

// leaning returns a PNG of a normal map, whose normals tilt in waves.
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

// tableCells returns the cells of a table in some sections of the report. Each row maps the titles
// of the columns to the cells.
func tableCells(t *testing.T, page, key string) (rows []map[string]string) {
	t.Helper()
	_, table, ok := strings.Cut(page, "<section class=table id="+key+">")
	head, body, _ := strings.Cut(table, "<tbody>")
	if !ok || body == "" {
		t.Fatalf("no table %s: %s", key, page)
	}
	body, _, _ = strings.Cut(body, "</tbody>")
	tag := regexp.MustCompile("<[^>]*>")
	titles := strings.Split(head, "<th scope")[1:]
	for row := range strings.SplitSeq(strings.TrimSpace(body), "\n") {
		cells := map[string]string{}
		for k, cell := range strings.Split(row, "<td")[1:] {
			cells[tag.ReplaceAllString("<"+strings.TrimSuffix(titles[k], "</tr></thead>"), "")] = tag.ReplaceAllString("<"+cell, "")
		}
		rows = append(rows, cells)
	}
	return rows
}

// losses polls until all textures of a site are compared, and returns their rows.
func (s *site) losses() []map[string]string {
	s.t.Helper()
	var got struct {
		Done bool
		HTML string
	}
	for !got.Done { // the comparison stops unless a page polls
		if err := s.post("losses", map[string]any{}, &got); err != "" {
			s.t.Fatal(err)
		}
	}
	return tableCells(s.t, got.HTML, "textures")
}

// Each texture is listed with its role, and is compared with the pixels that its recipe prepared.
func TestRolesOfLosses(t *testing.T) {
	s := newSite(t, map[string][]byte{
		"wall_normal.png": leaning(t, 64), "wall_albedo.png": painting(t, 64, 64), "turned.png": painting(t, 32, 32),
		"cook.toml": []byte("[[rule]]\nmatch = \"turned.png\"\nr = \"b\"\nflip = \"x\"\nfit = 16\n"),
	})
	rows := s.losses()
	if len(rows) != 3 {
		t.Fatalf("%v", rows)
	}
	for _, r := range rows {
		normal := r["texture"] == "wall_normal.png"
		// Small images are stored without loss, so they have no PSNR.
		if exact := r["texture"] == "turned.png"; exact != (r["PSNR in dB"] == "") || r["decided by"] == "" || normal != (r["role"] == "normal") || normal != (r["angle in °"] != "") {
			t.Errorf("%v", r)
		} else if exact && (r[""] != "lossless" || r["width"] != "16" || r["levels"] != "5") {
			t.Errorf("%v", r)
		}
	}
}
