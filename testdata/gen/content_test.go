package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"math"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// TestPictures decodes every picture and compares its size; with the decoder's
// colour model where a kind is in the tree because of it.
func TestPictures(t *testing.T) {
	want := map[string]image.Point{
		"fonts/pebble.png":               {88, 36},
		"textures/foliage/bush.png":      {200, 140},
		"textures/foliage/fern.webp":     {96, 117},
		"textures/foliage/leaf.png":      {128, 128},
		"textures/kart/body.png":         {128, 128},
		"textures/kart/body_blue.png":    {128, 128},
		"textures/kart/body_orm.png":     {128, 128},
		"textures/kart/tyre.png":         {64, 64},
		"textures/props/barrier.tga":     {96, 48},
		"textures/props/cone.png":        {64, 64},
		"textures/props/crate.png":       {128, 128},
		"textures/props/decal.tga":       {64, 64},
		"textures/sky/clouds.jpg":        {256, 256},
		"textures/sky/cross.png":         {128, 96},
		"textures/sky/day.jpg":           {512, 256},
		"textures/sky/nebula.tiff":       {160, 120},
		"textures/sky/planet.png":        {240, 168},
		"textures/sky/ramp.png":          {1, 256},
		"textures/sky/stars.png":         {256, 256},
		"textures/terrain/asphalt.tga":   {128, 128},
		"textures/terrain/brick.png":     {256, 256},
		"textures/terrain/brick_n.png":   {256, 256},
		"textures/terrain/grass.webp":    {128, 128},
		"textures/terrain/height.png":    {257, 257},
		"textures/terrain/pebbles.png":   {512, 512},
		"textures/terrain/pebbles_n.png": {512, 512},
		"textures/terrain/rock_mask.tif": {130, 70},
		"textures/terrain/sand.bmp":      {99, 75},
		"textures/ui/flag.tga":           {72, 48},
		"textures/ui/minimap.gif":        {96, 96},
		"textures/ui/photo_finish.jpg":   {128, 96}, // on its side
		"textures/ui/radar.bmp":          {64, 64},
		"textures/ui/shadow.png":         {64, 64},
		"textures/ui/spinner.gif":        {40, 40},
		"textures/ui/start banner.png":   {333, 57},
		"textures/ui/trophy.webp":        {96, 112},
		"textures/ui/vignette.tga":       {120, 68},
		"textures/ui/white.png":          {1, 1},
	}
	got := make(map[string]image.Point)
	models := make(map[string]color.Model)
	for p, data := range generate(t) {
		var img image.Image
		var err error
		switch path.Ext(p) {
		case ".png", ".jpg", ".gif", ".bmp", ".tif", ".tiff", ".webp":
			img, _, err = image.Decode(bytes.NewReader(data))
		case ".tga":
			img = decodeTGA(t, data)
		default:
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		got[p], models[p] = img.Bounds().Size(), img.ColorModel()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	for p, model := range map[string]color.Model{
		"textures/terrain/height.png":    color.Gray16Model,
		"textures/terrain/rock_mask.tif": color.GrayModel,
		"textures/sky/clouds.jpg":        color.GrayModel,
		"textures/sky/day.jpg":           color.YCbCrModel,
		"textures/ui/shadow.png":         color.NRGBAModel, // what grey with alpha decodes to
		"textures/foliage/leaf.png":      color.NRGBAModel,
	} {
		if models[p] != model {
			t.Errorf("%s has another colour model than its kind", p)
		}
	}
	for _, p := range []string{"textures/sky/stars.png", "fonts/pebble.png", "textures/ui/radar.bmp"} {
		if _, ok := models[p].(color.Palette); !ok {
			t.Errorf("%s has no palette", p)
		}
	}
}

func TestData(t *testing.T) {
	files := generate(t)
	for p, data := range files {
		switch path.Ext(p) {
		case ".json":
			if valid := json.Valid(data); valid == strings.HasPrefix(p, "work/") {
				t.Errorf("%s: valid JSON is %v", p, valid)
			}
		case ".csv":
			if _, err := csv.NewReader(bytes.NewReader(data)).ReadAll(); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		case ".xml":
			d := xml.NewDecoder(bytes.NewReader(data))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", p, err)
				}
			}
		}
	}
	// These are the point of the file: a float64 changes all of them.
	for _, number := range []string{"0.1000000000000000055", "12345678901234567890", "1e400", "2.5E-400", "9007199254740993"} {
		if !bytes.Contains(files["data/tuning/constants.json"], []byte(": "+number+",")) {
			t.Errorf("constants.json does not hold %s", number)
		}
	}
}

// TestLinks looks up every file that a text file of the game names.
func TestLinks(t *testing.T) {
	files := generate(t)
	link := regexp.MustCompile(`(?:audio|data|fonts|models|shaders|textures)/[a-z_/]+\.[a-z]+`)
	found := 0
	for p, data := range files {
		switch path.Ext(p) {
		case ".json", ".csv", ".xml", ".lua":
			for _, name := range link.FindAllString(string(data), -1) {
				found++
				if _, ok := files[name]; !ok {
					t.Errorf("%s names %s, which does not exist", p, name)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d names found; is the pattern right?", found)
	}
}

func TestSounds(t *testing.T) {
	le := binary.LittleEndian
	for p, data := range generate(t) {
		if path.Ext(p) != ".wav" {
			continue
		}
		if string(data[:4]) != "RIFF" || int(le.Uint32(data[4:])) != len(data)-8 || string(data[8:16]) != "WAVEfmt " {
			t.Errorf("%s: bad RIFF header", p)
			continue
		}
		chunks := make(map[string][]byte)
		for rest := data[12:]; len(rest) > 0; {
			n := int(le.Uint32(rest[4:]))
			chunks[string(rest[:4])] = rest[8 : 8+n]
			rest = rest[8+n+n%2:]
		}
		format, loudest := chunks["fmt "], 0
		if le.Uint16(format) != 1 || le.Uint16(format[14:]) != 16 {
			t.Errorf("%s is not 16-bit PCM", p)
		}
		frame := int(le.Uint16(format[12:]))
		if n := len(chunks["data"]); n == 0 || n%frame != 0 {
			t.Errorf("%s: %d bytes of data in frames of %d", p, n, frame)
		}
		for d := chunks["data"]; len(d) > 0; d = d[2:] {
			v := int(int16(le.Uint16(d)))
			loudest = max(loudest, v, -v)
		}
		if loop := chunks["smpl"]; path.Base(p) == "engine_loop.wav" {
			frames := len(chunks["data"]) / frame
			if len(loop) != 36+24 || le.Uint32(loop[28:]) != 1 || le.Uint32(loop[44:]) != 0 || int(le.Uint32(loop[48:])) != frames-1 {
				t.Errorf("%s: want one loop over all %d frames, have %x", p, frames, loop)
			}
		} else if loop != nil {
			t.Errorf("%s repeats", p)
		}
		if loudest < 6000 || loudest > 32000 {
			t.Errorf("%s: peak %d is too soft or clipped", p, loudest)
		}
	}
}

// TestFixed compares the integer maths with floating point.
func TestFixed(t *testing.T) {
	for a := -fullTurn; a <= 2*fullTurn; a += 7 {
		want := math.Sin(float64(a) * 2 * math.Pi / float64(fullTurn))
		if got := float64(sine(a)) / one; math.Abs(got-want) > 1.0/one {
			t.Fatalf("sine(%d) = %f, want %f", a, got, want)
		}
	}
	for _, v := range []int64{-1, 0, 1, 2, 3, 4, 99, 100, 1<<40 - 1, 1 << 40, 1<<62 - 1} {
		r := int64(root(v))
		if v < 0 && r != 0 || v >= 0 && (r*r > v || (r+1)*(r+1) <= v) {
			t.Errorf("root(%d) = %d", v, r)
		}
	}
}

// TestTiling holds that the ground textures repeat without a seam.
func TestTiling(t *testing.T) {
	const size = 128
	for i := range size {
		for _, f := range []func(x, y int) int{
			func(x, y int) int { return fractal(x, y, 32, size, 5, 1) },
			func(x, y int) int { near, _, _ := stones(x, y, 32, size, 2); return near },
			func(x, y int) int { row, column, edge := brickAt(x, y, size); return row<<16 | column<<8 | edge },
		} {
			if f(i, 5) != f(i+size, 5) || f(i, 5) != f(i, 5-size) || f(7, i) != f(7-size, i+size) {
				t.Fatalf("pixel %d does not repeat", i)
			}
		}
	}
}
