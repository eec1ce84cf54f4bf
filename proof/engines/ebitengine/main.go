//go:build js

// Ebitengine loads the images and sounds of a cooked project in a browser, and compares them with
// their sources. The page's server has the project and the file pairs, a line for each cooked
// file: kind, source and cooked file, separated by tabs. The result is the variable wrong of the
// page.
package main

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	"io"
	"math"
	"net/http"
	"strings"
	"syscall/js"
	"testing/fstest"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/assetcook/assetcook/proof/engines/ebitengine/internal/outputs" // of docs/engines/ebitengine.md
)

// A game compares the loaded files in its first frame, since Ebitengine reads pixels only then.
type game struct {
	pairs []pair
	wrong []string
}

// A pair is a cooked file and its source.
type pair struct {
	kind, name     string
	source, cooked []byte
}

func main() {
	var g game
	list, err := fetch("pairs")
	if err != nil {
		g.wrong = append(g.wrong, err.Error())
	}
	for line := range strings.Lines(string(list)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		source, err1 := fetch(field[1])
		cooked, err2 := fetch(field[2])
		if err1 != nil || err2 != nil {
			g.wrong = append(g.wrong, fmt.Sprint(err1, err2))
			continue
		}
		g.pairs = append(g.pairs, pair{field[0], field[2], source, cooked})
	}
	if err := ebiten.RunGame(&g); err != nil && err != ebiten.Termination {
		panic(err)
	}
}

func fetch(name string) ([]byte, error) {
	resp, err := http.Get("/" + strings.ReplaceAll(name, " ", "%20"))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", name, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func (g *game) Draw(*ebiten.Image) {}

func (g *game) Layout(int, int) (int, int) { return 16, 16 }

func (g *game) Update() error {
	for _, p := range g.pairs {
		compare := compareImages
		if p.kind == "sound" {
			compare = compareSounds
		}
		if err := compare(p.source, p.cooked); err != nil {
			g.wrong = append(g.wrong, fmt.Sprintf("%s: %v", p.name, err))
		}
	}
	if len(g.pairs) < 35 {
		g.wrong = append(g.wrong, fmt.Sprintf("%d files seen", len(g.pairs)))
	}
	js.Global().Set("wrong", strings.Join(g.wrong, "\n"))
	return ebiten.Termination
}

// compareImages draws the cooked image, one texel for each pixel.
func compareImages(source, cooked []byte) error {
	loaded, err := outputs.Image(fstest.MapFS{"m": {Data: cooked}}, "m")
	if err != nil {
		return err
	}
	size := loaded.Bounds().Size()
	screen := ebiten.NewImage(size.X, size.Y)
	screen.DrawImage(loaded, nil)
	got := make([]byte, 4*size.X*size.Y)
	screen.ReadPixels(got)
	want, _, err := image.Decode(bytes.NewReader(source))
	if err != nil {
		return nil // the standard library does not decode the source
	}
	if want.Bounds().Size() != size {
		return fmt.Errorf("%v pixels, want %v", size, want.Bounds().Size())
	}
	sum := 0.0
	for i := range size.X * size.Y {
		r, g, b, a := want.At(want.Bounds().Min.X+i%size.X, want.Bounds().Min.Y+i/size.X).RGBA()
		for k, c := range [...]uint32{r, g, b, a} {
			sum += math.Abs(float64(c)/257 - float64(got[4*i+k]))
		}
	}
	if off := sum / float64(len(got)); off > 1 {
		return fmt.Errorf("the mean difference is %.2f", off)
	}
	return nil
}

func compareSounds(source, cooked []byte) error {
	want, err := samples(source)
	if err != nil {
		return nil // Ebitengine does not decode the source
	}
	got, err := samples(cooked)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("other samples")
	}
	return nil
}

func samples(data []byte) ([]byte, error) {
	s, err := outputs.Sound(fstest.MapFS{"s": {Data: data}}, "s", 44100)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(s)
}
