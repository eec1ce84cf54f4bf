package browser

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/examples/hotreload/game"
)

// play opens the page of examples/hotreload next to a watcher, and returns the directory of the
// assets.
func play(t *testing.T) (p *page, assets string) {
	t.Helper()
	dir := t.TempDir()
	project := game.Project(filepath.Join(dir, "assets"), filepath.Join(dir, "out"))
	project.Cache = filepath.Join(dir, "store")
	if err := game.Sample(project.Dir, "../../testdata/assets/textures/props/crate.png"); err != nil {
		t.Fatal(err)
	}
	watch(t, project)
	return browse(t, game.Handler(project.Out), ""), project.Dir
}

// watch cooks a project and watches it until the test ends.
func watch(t *testing.T, project cook.Project) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	first, ended := make(chan bool), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(ended)
		if err := cook.Watch(ctx, project, cook.WatchOptions{Round: func(cook.Round) { once.Do(func() { close(first) }) }}); !errors.Is(err, context.Canceled) {
			t.Errorf("watch: %v", err)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
	select {
	case <-first:
	case <-ended:
		t.FailNow()
	}
}

// save replaces an asset.
func save(t *testing.T, assets, name string, data []byte) {
	t.Helper()
	tmp := assets + ".tmp"
	if err := errors.Join(os.WriteFile(tmp, data, 0o666), os.Rename(tmp, filepath.Join(assets, name))); err != nil {
		t.Fatal(err)
	}
}

// paint replaces the texture by an image of a single color.
func paint(t *testing.T, assets string, size int, c color.NRGBA) {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i := range size * size {
		copy(img.Pix[4*i:], []byte{c.R, c.G, c.B, c.A})
	}
	f, err := os.Create(assets + ".png")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close(), os.Rename(assets+".png", filepath.Join(assets, "texture.png"))); err != nil {
		t.Fatal(err)
	}
}

// near returns an expression that reports whether a pixel of the rendered image has approximately
// the given color.
func near(x, y int, r, g, b uint8) string {
	return fmt.Sprintf(`(() => {
		const gl = document.getElementById("view").getContext("webgl2"), p = new Uint8Array(4)
		gl.readPixels(%d, %d, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p)
		return [%d, %d, %d].every((v, i) => Math.abs(v - p[i]) < 12)
	})()`, x, y, r, g, b)
}

// A saved texture, JSON file or shader changes the rendered image. If a shader does not compile,
// the page keeps the previous image and shows the error.
func TestSavedAssetsChangePicture(t *testing.T) {
	p, assets := play(t)
	t.Log(eval[string](p, `document.getElementById("format").textContent + document.getElementById("problem").textContent`))
	paint(t, assets, 64, color.NRGBA{200, 40, 120, 255})
	p.until(near(320, 320, 200, 40, 120))
	paint(t, assets, 128, color.NRGBA{20, 140, 220, 255})
	p.until(near(320, 320, 20, 140, 220))
	save(t, assets, "scene.json", []byte(`{"speed": 0, "tiles": 1, "tint": [1, 0.5, 0], "background": [0, 1, 0]}`))
	p.until(near(1, 1, 0, 255, 0) + " && " + near(320, 320, 20, 70, 0))
	save(t, assets, "scene.frag", []byte("#version 300 es\nprecision highp float;\nout vec4 color;\nvoid main() { color = vec4(0, 0, 1, 1); }\n"))
	p.until(near(320, 320, 0, 0, 255))
	save(t, assets, "scene.frag", []byte("no shader"))
	p.until(`document.getElementById("problem").textContent !== ""`)
	if !eval[bool](p, near(320, 320, 0, 0, 255)) {
		t.Error("a shader with an error changed the picture")
	}
	if got := eval[string](p, `document.getElementById("log").textContent`); !strings.Contains(got, "scene.json") || !strings.Contains(got, " ms") {
		t.Errorf("the log contains %q", got)
	}
}

// TestHotReloadTimes measures the time from saving a file to the next frame. It runs with
// RELOAD_SAVES=40 (bench/results/reload.md).
func TestHotReloadTimes(t *testing.T) {
	saves, err := strconv.Atoi(os.Getenv("RELOAD_SAVES"))
	if err != nil {
		t.Skip("RELOAD_SAVES is not set")
	}
	p, assets := play(t)
	row := `parseFloat(document.querySelector("#log tr td:last-child")?.textContent)`
	for _, what := range []string{"JSON", "texture"} {
		var times []float64
		for n := range saves {
			eval[bool](p, `document.getElementById("log").replaceChildren(), true`)
			c := uint8(50 + n)
			if what == "JSON" {
				save(t, assets, "scene.json", fmt.Appendf(nil, `{"speed": 0, "tiles": 1, "tint": [1, 1, 1], "background": [0, 0, %g]}`, float64(c)/255))
			} else {
				paint(t, assets, 1024, color.NRGBA{c, c, c, 255})
			}
			p.until(row + " > 0")
			times = append(times, eval[float64](p, row))
		}
		slices.Sort(times)
		t.Logf("%s: p50 %.1f ms, p95 %.1f ms; %s", what, times[len(times)/2], times[len(times)*95/100], eval[string](p, `document.getElementById("format").textContent`))
	}
}
