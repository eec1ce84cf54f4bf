package browser

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/recipes"
)

// The code for hot reload on the docs page of an engine shows changed textures, models and sounds.
// TestPagesOfEnginesWorkAsTyped runs the code of the other pages.
func TestCodeForHotReloadShowsChanges(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	modules, pages := http.FileServer(http.Dir(packages(t))), samples(t)
	for engine, want := range map[string]string{
		"babylon": "128 1 changed", "playcanvas": "128", "phaser": "128", "howler": "2.2",
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			project := cook.Project{
				Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"),
				Recipes: recipes.All(), Engine: strings.Replace(engine, "howler", "pixi", 1),
			}
			for _, name := range []string{"textures", "models", "audio"} {
				if err := os.MkdirAll(filepath.Join(project.Dir, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			change := func(side int, model, sound string) {
				var picture bytes.Buffer
				coin, err1 := os.ReadFile("../../testdata/assets/models/coin.gltf")
				beep, err2 := os.ReadFile("../../testdata/assets/audio/" + sound)
				if err := errors.Join(err1, err2, png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, side, side)))); err != nil {
					t.Fatal(err)
				}
				save(t, project.Dir, "textures/paint.png", picture.Bytes())
				save(t, project.Dir, "models/coin.gltf", bytes.ReplaceAll(coin, []byte(`"name": "coin"`), fmt.Appendf(nil, `"name": %q`, model)))
				save(t, project.Dir, "audio/beep.wav", beep)
			}
			change(64, "coin", "coin.wav")
			watch(t, project)
			files, changes, page := http.FileServer(http.Dir(dir)), reload.Handler(project.Out), http.FileServer(http.Dir(filepath.Join(pages, engine)))
			code, err := os.ReadFile(filepath.Join(pages, engine, "hotreload.js"))
			if err != nil {
				t.Fatal(err)
			}
			code = bytes.ReplaceAll(code, []byte("http://127.0.0.1:7357/"), []byte("/")) // this server sends the changes
			p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch path := r.URL.Path; {
				case path == "/":
					fmt.Fprintf(w, enginePage, "reload")
				case path == "/favicon.ico":
					w.WriteHeader(http.StatusNoContent)
				case path == "/events" || path == "/reload.js":
					changes.ServeHTTP(w, r)
				case path == "/hotreload.js":
					w.Header().Set("Content-Type", "text/javascript")
					w.Write(code)
				case path == "/loader.js":
					page.ServeHTTP(w, r)
				case strings.HasPrefix(path, "/npm/"):
					modules.ServeHTTP(w, r)
				case strings.HasPrefix(path, "/engines/"):
					http.ServeFileFS(w, r, engineScripts, path[1:])
				default:
					files.ServeHTTP(w, r)
				}
			}), "?engine="+engine)
			before := eval[string](p, "shown()")
			t.Logf("the page shows %q before the change, and then %q", before, want)
			if before == want {
				t.FailNow()
			}
			change(128, "changed", "finish_fanfare.wav")
			p.until(fmt.Sprintf("shown() === %q", want))
			p.forgive("GPU stall")
		})
	}
}
