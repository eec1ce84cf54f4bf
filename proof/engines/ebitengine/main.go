//go:build js

// Ebitengine loads the images and sounds of a cooked project in a browser, and compares them with
// their sources. The page's server has the project and the file pairs, a line for each cooked
// file: kind, source and cooked file, separated by tabs. The result is the variable result of the
// page, as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
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

	"github.com/assetcook/assetcook/proof/engines/ebitengine/internal/outputs" // code of docs/engines/ebitengine.md
)

// A game compares the loaded files in its first frame, because Ebitengine can read pixels only from
// then on.
type game struct {
	pairs []pair
	// sprites are the files of an atlas and the sources of its sprites.
	sprites fstest.MapFS
	wrong   []string
	kinds   map[string]result
}

// A result has the number of compared files of a kind, and the allowed difference.
type result struct {
	Files  int     `json:"files"`
	Within float64 `json:"within"`
}

func (g *game) judge(kind, name string, within float64, err error) {
	g.kinds[kind] = result{g.kinds[kind].Files + 1, within}
	if err != nil {
		g.wrong = append(g.wrong, fmt.Sprintf("%s: %v", name, err))
	}
}

// A pair is a cooked file and its source.
type pair struct {
	kind, name     string
	source, cooked []byte
}

func main() {
	g := game{sprites: fstest.MapFS{}, kinds: map[string]result{}}
	list, err := fetch("pairs")
	if err != nil {
		g.wrong = append(g.wrong, err.Error())
	}
	for line := range strings.Lines(string(list)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch field[0] {
		case "font", "model", "hdr": // Ebitengine has no loaders for these kinds
			continue
		case "sprite":
			g.fetchSprites()
			continue
		}
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
		compare, within := compareImages, 1.0
		switch p.kind {
		case "sound":
			compare, within = compareSounds, 0
		case "game-image", "game-sound":
			if err := loadFile(p.kind, p.cooked); err != nil {
				g.wrong = append(g.wrong, fmt.Sprintf("%s: %v", p.name, err))
			}
			continue
		}
		if err := compare(p.source, p.cooked); err != errNotDecoded {
			g.judge(p.kind, p.name, within, err)
		}
	}
	g.compareSprites()
	text, err := json.Marshal(map[string]any{"wrong": strings.Join(g.wrong, "\n"), "kinds": g.kinds})
	if err != nil {
		panic(err)
	}
	js.Global().Set("result", string(text))
	return ebiten.Termination
}

// errNotDecoded is returned for a source that neither Ebitengine nor the standard library can
// decode.
var errNotDecoded = errors.New("not decoded")

// fetchSprites fetches the atlas and the sources of its sprites.
func (g *game) fetchSprites() {
	names := []string{"cooked/kinds/menu.json", "cooked/kinds/menu.png"}
	for i := range 16 {
		names = append(names, fmt.Sprintf("assets/kinds/sprites/%02d.png", i))
	}
	for _, name := range names {
		data, err := fetch(name)
		if err != nil {
			g.wrong = append(g.wrong, err.Error())
		}
		g.sprites[name] = &fstest.MapFile{Data: data}
	}
}

// compareSprites draws each sprite of the atlas.
func (g *game) compareSprites() {
	sprites, err := outputs.Sprites(g.sprites, "cooked/kinds/menu.json")
	if err != nil {
		g.wrong = append(g.wrong, err.Error())
	}
	for name, s := range sprites {
		if source := g.sprites["assets/kinds/"+name]; source != nil { // the nine-patch is not compared
			g.judge("sprite", name, 1, compareDrawn(source.Data, s.Image, s.Left, s.Top))
		}
	}
}

func compareImages(source, cooked []byte) error {
	loaded, err := outputs.Image(fstest.MapFS{"m": {Data: cooked}}, "m")
	if err != nil {
		return err
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(source)); err != nil {
		return errNotDecoded
	} else if got := loaded.Bounds().Size(); got != image.Pt(size.Width, size.Height) {
		return fmt.Errorf("%v pixels, want %dx%d", got, size.Width, size.Height)
	}
	return compareDrawn(source, loaded, 0, 0)
}

// compareDrawn draws an image, one texel per pixel, and compares the result with a file.
func compareDrawn(source []byte, m *ebiten.Image, left, top int) error {
	want, _, err := image.Decode(bytes.NewReader(source))
	if err != nil {
		return err
	}
	size := want.Bounds().Size()
	screen := ebiten.NewImage(size.X, size.Y)
	at := &ebiten.DrawImageOptions{}
	at.GeoM.Translate(float64(left), float64(top))
	screen.DrawImage(m, at)
	got := make([]byte, 4*size.X*size.Y)
	screen.ReadPixels(got)
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

// loadFile loads a file of the Debian game.
func loadFile(kind string, cooked []byte) error {
	files := fstest.MapFS{"f": {Data: cooked}}
	if kind == "game-image" {
		_, err := outputs.Image(files, "f")
		return err
	}
	_, err := outputs.Sound(files, "f", 44100)
	return err
}

func compareSounds(source, cooked []byte) error {
	want, err := samples(source)
	if err != nil {
		return errNotDecoded
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
