package browser

import (
	"bytes"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/proof/internal/results"
)

var updateResults = flag.Bool("results", false, "write proof/engines/results.json")

//go:embed engines/*.js
var engineScripts embed.FS

var webEngines = []string{"three", "babylon", "playcanvas", "pixi", "phaser", "howler"}

// Engines load the sample project, cooked for the engine or without an engine: images, sounds and
// models equal their sources within the error of their format. They also load a game that Debian
// packages, cooked for the engine.
func TestSamplesLoadInTheirEngine(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	modules, dir := http.FileServer(http.Dir(packages(t))), samples(t)
	for _, engine := range webEngines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			loadSamples(t, modules, dir, engine)
		})
	}
}

// loadSamples loads the samples in an engine, using a page that imports the engine's npm package.
func loadSamples(t *testing.T, modules http.Handler, dir, engine string) {
	files := http.FileServer(http.Dir(dir))
	p := browse(t, engineHandler(filepath.Join(dir, engine), func(w http.ResponseWriter, r *http.Request) bool {
		script := r.URL.Path[1:]
		if r.URL.Path == "/" {
			fmt.Fprintf(w, enginePage, engine)
		} else if strings.HasPrefix(r.URL.Path, "/npm/") {
			modules.ServeHTTP(w, r)
		} else if strings.HasPrefix(r.URL.Path, "/any/") {
			files.ServeHTTP(w, r)
		} else if _, err := engineScripts.Open(script); err == nil {
			http.ServeFileFS(w, r, engineScripts, script)
		} else {
			return false
		}
		return true
	}), "")
	result := pageResult(p, "check()")
	judge(p, engine, result.Kinds)
	judge(p, results.AnyIn(engine), result.Any)
}

// engineHandler serves what page serves and, for other paths, the prepared directory of an engine.
// /game reports whether there is a cooked game.
func engineHandler(dir string, page func(http.ResponseWriter, *http.Request) bool) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		case "/game":
			_, err := os.Stat(filepath.Join(dir, "game/cooked"))
			fmt.Fprint(w, err == nil)
		default:
			if !page(w, r) {
				files.ServeHTTP(w, r)
			}
		}
	})
}

// A loadResult is what a page reports: its faults, and the number of compared files of each kind.
type loadResult struct {
	Wrong      string
	Kinds, Any map[string]results.Kind // Any holds results for outputs that were cooked without an engine
}

// pageResult evaluates an expression whose value is the result of a page, and reports the faults in
// the result.
func pageResult(p *page, expression string) loadResult {
	p.t.Helper()
	var result loadResult
	if text := eval[string](p, expression); json.Unmarshal([]byte(text), &result) != nil {
		p.t.Fatalf("the result of the page is %q", text)
	}
	if result.Wrong != "" {
		p.t.Error(result.Wrong)
	}
	p.forgive("GPU stall") // reading back pixels is slow
	return result
}

// resultsFile is locked by tests of engines while they write the file of results.
var resultsFile sync.Mutex

// judge compares a page's results for each kind of file with results.json.
func judge(p *page, name string, seen map[string]results.Kind) {
	p.t.Helper()
	resultsFile.Lock()
	defer resultsFile.Unlock()
	if err := results.Check("../engines/results.json", name, seen, *updateResults); err != nil {
		p.t.Error(err)
	}
}

// Ebitengine is tested in the browser, where it needs no system libraries.
func TestSamplesLoadInEbitengine(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	top := samples(t)
	dir := filepath.Join(top, "ebitengine")
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "game.wasm"), ".")
	build.Dir = "../engines/ebitengine"
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(string(bytes.TrimSpace(root)), "lib/wasm"))); err != nil {
		t.Fatal(err)
	}
	program := http.FileServer(http.Dir(dir))
	for name, outputs := range map[string]string{"ebitengine": dir, results.AnyIn("ebitengine"): filepath.Join(top, results.Any)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := browse(t, engineHandler(outputs, func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/":
					fmt.Fprint(w, wasmPage)
				case "/game.wasm", "/wasm_exec.js":
					program.ServeHTTP(w, r)
				default:
					return false
				}
				return true
			}), "")
			p.until(`"result" in window`)
			judge(p, name, pageResult(p, "result").Kinds)
		})
	}
}

const wasmPage = `<!doctype html><meta charset="utf-8"><body>
<script src="/wasm_exec.js"></script>
<script type="module">
const go = new Go();
const { instance } = await WebAssembly.instantiateStreaming(fetch("/game.wasm"), go.importObject);
go.run(instance);
document.body.dataset.ready = true;
</script>`

const enginePage = `<!doctype html><meta charset="utf-8"><body>
<script type="importmap">{"imports":{
	"three": "/npm/node_modules/three/build/three.module.js",
	"three/addons/": "/npm/node_modules/three/examples/jsm/",
	"three/examples/jsm/Addons.js": "/npm/node_modules/three/examples/jsm/loaders/FontLoader.js",
	"three-msdf-text-utils": "/npm/node_modules/three-msdf-text-utils/build/bundle.js",
	"@babylonjs/core": "/engines/babylon-module.js",
	"@babylonjs/loaders/glTF": "/engines/babylon-module.js",
	"playcanvas": "/npm/node_modules/playcanvas/build/playcanvas.mjs",
	"pixi.js": "/npm/node_modules/pixi.js/dist/pixi.mjs",
	"@pixi/sound": "/npm/node_modules/@pixi/sound/dist/pixi-sound.mjs"
}}</script>
<script type="module" src="/engines/%s.js"></script>`
