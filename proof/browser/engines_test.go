package browser

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed engines/*.js
var engineScripts embed.FS

// webEngines are the engines that run in browsers, and their npm packages.
var webEngines = []struct{ name, packages string }{
	{"three", "three@0.180.0"},
	{"playcanvas", "playcanvas@2.23.3 three@0.180.0"}, // with the transcoder of three.js
	{"pixi", "pixi.js@8.22.0"},
	{"phaser", "phaser@4.2.1"},
}

// The sample project, cooked for an engine without any rule, loads there: images and sounds equal
// their sources within the error of their format, and models have all their textures.
func TestSamplesLoadInTheirEngine(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	for _, engine := range webEngines {
		t.Run(engine.name, func(t *testing.T) {
			dir := t.TempDir()
			npm := exec.Command("sh", "-c", "npm install --silent --no-audit --no-fund --ignore-scripts --prefix npm "+engine.packages)
			npm.Dir = dir
			if out, err := npm.CombinedOutput(); err != nil {
				t.Skipf("the engine cannot be installed: %v: %.200s", err, out)
			}
			prepare(t, dir, engine.name)
			files := http.FileServer(http.Dir(dir))
			p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					fmt.Fprintf(w, enginePage, engine.name)
				case "/favicon.ico":
					w.WriteHeader(http.StatusNoContent)
				default:
					if _, err := engineScripts.Open(r.URL.Path[1:]); err == nil {
						http.ServeFileFS(w, r, engineScripts, r.URL.Path[1:])
						return
					}
					files.ServeHTTP(w, r)
				}
			}), "")
			if wrong := eval[string](p, `check("/cooked")`); wrong != "" {
				t.Error(wrong)
			}
			p.forgive("GPU stall") // reading back pixels is slow
		})
	}
}

// prepare cooks the sample project for an engine in the directories assets and cooked.
func prepare(t *testing.T, dir, engine string) {
	t.Helper()
	run := exec.Command("go", "run", "./proof/engines", "-prepare", dir, "-engine", engine)
	run.Dir = "../.."
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Ebitengine runs in the browser, too, where it needs no libraries of the system.
func TestSamplesLoadInEbitengine(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	prepare(t, dir, "ebitengine")
	shown, err := os.ReadFile(filepath.Join(dir, "loader.go"))
	if err != nil {
		t.Fatal(err)
	}
	used, err := os.ReadFile("../engines/ebitengine/internal/outputs/outputs.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shown, used) {
		t.Error("outputs.go and the loader of docs/engines/ebitengine.md differ")
	}
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
	files := http.FileServer(http.Dir(dir))
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, wasmPage)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}), "")
	p.until(`"wrong" in window`)
	if wrong := eval[string](p, "wrong"); wrong != "" {
		t.Error(wrong)
	}
	p.forgive("GPU stall")
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
	"playcanvas": "/npm/node_modules/playcanvas/build/playcanvas.mjs",
	"pixi.js": "/npm/node_modules/pixi.js/dist/pixi.mjs"
}}</script>
<script type="module" src="/engines/%s.js"></script>`
