package browser

import (
	"bufio"
	"errors"
	"fmt"
	"image/color"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// viteProject copies examples/web with its sources, and installs its npm packages.
func viteProject(t *testing.T) (root, web string) {
	t.Helper()
	root = t.TempDir()
	for _, dir := range []string{"examples/web", "npm/assetcook", "testdata/assets"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS("../../"+dir)); err != nil {
			t.Fatal(err)
		}
	}
	web = filepath.Join(root, "examples/web")
	// A developer may already have run the example here.
	for _, made := range []string{"node_modules", "cooked", "dist"} {
		if err := os.RemoveAll(filepath.Join(web, made)); err != nil {
			t.Fatal(err)
		}
	}
	npm := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline",
		"--no-save", "typescript@7.0.2", "@types/three@0.180.0")
	npm.Dir = web
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("Vite cannot be installed: %v: %.200s", err, out)
	}
	return root, web
}

// vite returns a command that runs Vite with arguments, and finds cook on PATH.
func vite(t *testing.T, web string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"node_modules/vite/bin/vite.js"}, args...)...)
	cmd.Dir = web
	cmd.Env = append(os.Environ(), "PATH="+binaries(t)+string(os.PathListSeparator)+os.Getenv("PATH"), "COOKCACHE="+filepath.Join(web, "store"), "NO_COLOR=1")
	return cmd
}

// A devServer is a running "vite dev".
type devServer struct {
	url string

	mu   sync.Mutex
	text strings.Builder
}

// said reports whether the server has printed the text.
func (s *devServer) said(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// startVite starts the dev server, which is stopped at the end of the test.
func startVite(t *testing.T, web string) *devServer {
	t.Helper()
	cmd := vite(t, web, "--host", "127.0.0.1", "--port", "0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &devServer{}
	at := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			fmt.Fprintln(&s.text, lines.Text())
			s.mu.Unlock()
			if url := address.FindString(lines.Text()); url != "" {
				at <- url
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Cancel()
		<-ended
		cmd.Wait()
	})
	select {
	case s.url = <-at:
	case <-ended:
		t.Fatalf("Vite ended: %s", s.text.String())
	}
	return s
}

// solid replaces a texture of the example's props by a single color.
func solid(t *testing.T, root, name string, c color.NRGBA) {
	t.Helper()
	dir := filepath.Join(root, "painted")
	paint(t, dir, 64, c)
	if err := os.Rename(filepath.Join(dir, "texture.png"), prop(root, name)); err != nil {
		t.Fatal(err)
	}
}

func prop(root, name string) string {
	return filepath.Join(root, "testdata/assets/textures/props", name)
}

// shows returns a JavaScript expression: whether the pixel in the middle of the example's texture, or
// of its model, meets a condition for its color.
func shows(x int, condition string) string {
	return fmt.Sprintf(`(() => {
		const gl = document.querySelector("canvas").getContext("webgl2"), p = new Uint8Array(4)
		gl.readPixels(%d, 160, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p)
		const [r, g, b] = p
		return %s
	})()`, x, condition)
}

const (
	onTexture = 210
	onModel   = 430
)

// colored returns a condition for shows: a color, within the error of texture compression.
func colored(c color.NRGBA) string {
	return fmt.Sprintf("Math.max(Math.abs(r - %d), Math.abs(g - %d), Math.abs(b - %d)) < 12", c.R, c.G, c.B)
}

// A game with Vite shows cooked files. In the dev server, edits change the rendered image without
// reloading the page, and failures appear in the overlay. A build has hashed names, and fails if a
// cook fails. The types of the npm package are correct.
func TestViteReloadsAndBuilds(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	root, web := viteProject(t)
	pink, blue := color.NRGBA{200, 40, 120, 255}, color.NRGBA{20, 140, 220, 255}
	if err := os.Mkdir(filepath.Join(root, "painted"), 0o777); err != nil {
		t.Fatal(err)
	}
	solid(t, root, "crate.png", pink)
	t.Run("dev", func(t *testing.T) {
		server := startVite(t, web)
		p := open(t, server.url, "")
		p.until(shows(onTexture, colored(pink)) + " && " + shows(onModel, "r + g + b > 150"))
		eval[bool](p, "window.stays = true")
		solid(t, root, "crate.png", blue)
		p.until(shows(onTexture, colored(blue)))
		solid(t, root, "cone.png", color.NRGBA{0, 220, 0, 255})
		p.until(shows(onModel, "g > 2 * r && g > 2 * b"))
		if err := os.WriteFile(prop(root, "crate.png"), []byte("no image"), 0o666); err != nil {
			t.Fatal(err)
		}
		p.until(`document.querySelector("vite-error-overlay")?.shadowRoot.textContent.includes("crate.png: the file is not a PNG")`)
		if !eval[bool](p, shows(onTexture, colored(blue))) || !server.said("crate.png: the file is not a PNG") {
			t.Errorf("after a failure the picture changed, or the server printed no line: %s", server.text.String())
		}
		solid(t, root, "crate.png", pink)
		p.until(`!document.querySelector("vite-error-overlay") && ` + shows(onTexture, colored(pink)))
		if !eval[bool](p, "window.stays === true") {
			t.Error("the page was loaded again")
		}
	})
	t.Run("build", func(t *testing.T) {
		if out, err := vite(t, web, "build", "--logLevel", "warn").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var mu sync.Mutex
		var cooked []string
		files := http.StripPrefix("/game", http.FileServer(http.Dir(filepath.Join(web, "dist"))))
		p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path, ok := strings.CutPrefix(r.URL.Path, "/game/cooked/"); ok {
				mu.Lock()
				cooked = append(cooked, path)
				mu.Unlock()
			}
			files.ServeHTTP(w, r)
		}), "game/")
		p.until(shows(onTexture, colored(pink)) + " && " + shows(onModel, "g > 2 * r && g > 2 * b"))
		mu.Lock()
		defer mu.Unlock()
		hashed := regexp.MustCompile(`^(manifest-[0-9a-f]{12}\.json|[0-9a-f]{12}/.+)$`)
		for _, path := range cooked {
			if !hashed.MatchString(path) {
				t.Errorf("%s has no hash", path)
			}
		}
		if len(cooked) < 4 { // the manifest, a texture, a model and its texture
			t.Errorf("the page has loaded only %q", cooked)
		}
	})
	t.Run("types", func(t *testing.T) {
		text, err := os.ReadFile("testdata/types.ts")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(web, "types.ts"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		check := exec.Command("node_modules/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "types.ts")
		check.Dir = web
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("failed build", func(t *testing.T) {
		if err := os.WriteFile(prop(root, "crate.png"), []byte("no image"), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := vite(t, web, "build", "--logLevel", "warn").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "crate.png: the file is not a PNG") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// A PixiJS page with its own server follows "cook -watch -http" on another port. Its sprite sheet
// names an image that changes while the sheet itself does not.
func TestPageOnAnotherPortFollowsCook(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	linkPackages(t, dir)
	pink, blue := color.NRGBA{200, 40, 120, 255}, color.NRGBA{20, 140, 220, 255}
	assets := filepath.Join(dir, "assets")
	if err := errors.Join(os.MkdirAll(filepath.Join(assets, "painted"), 0o777),
		os.WriteFile(filepath.Join(assets, "ui.sprites"), []byte("painted/\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "cook.toml"), []byte("[project]\ndir = \"assets\"\nengine = \"pixi\"\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	paint(t, filepath.Join(assets, "painted"), 32, pink)
	cook := exec.CommandContext(t.Context(), filepath.Join(binaries(t), "cook"), "-watch", "-http", "0", "-cache", "store")
	cook.Dir = dir
	cook.Cancel = func() error { return cook.Process.Signal(os.Interrupt) }
	said, err := cook.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cook.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cook.Cancel(); cook.Wait() })
	lines := bufio.NewScanner(said)
	var server string
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "cook: watching") {
		if url, ok := strings.CutPrefix(lines.Text(), "view: "); ok {
			server, _, _ = strings.Cut(url, "#")
		}
	}
	files := http.FileServer(http.Dir(dir))
	module := http.StripPrefix("/assetcook", http.FileServer(http.Dir("../../npm/assetcook")))
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			fmt.Fprintf(w, anotherPortPage, server)
		case strings.HasPrefix(r.URL.Path, "/assetcook/"):
			module.ServeHTTP(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	}), "")
	drawn := func(c color.NRGBA) string {
		return fmt.Sprintf("String(drawn) === %q", fmt.Sprintf("%d,%d,%d", c.R, c.G, c.B))
	}
	p.until(drawn(pink))
	paint(t, filepath.Join(assets, "painted"), 32, blue)
	p.until(drawn(blue))
	if got := eval[string](p, "changes.join()"); !strings.HasPrefix(got, "/cooked/ui.webp?v=") && !strings.Contains(got, ",/cooked/ui.webp?v=") {
		t.Errorf("changed: %s", got)
	}
	p.forgive("request to another server: " + server)
	p.forgive("PixiJS Warning") // the older sheet contains the same names, about which PixiJS warns
	p.forgive("GPU stall")
}

const anotherPortPage = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>
<script type="importmap">{"imports":{"assetcook": "/assetcook/index.js", "pixi.js": "/npm/node_modules/pixi.js/dist/pixi.mjs"}}</script>
<script type="module">
import * as PIXI from "pixi.js";
import { onChange, openManifest } from "assetcook";
import { loader } from "/assetcook/pixi.js";

const app = new PIXI.Application();
await app.init({ width: 16, height: 16, backgroundAlpha: 0, preference: "webgl" });
const assets = await openManifest("/cooked/manifest.json");
const load = loader(assets);
window.changes = [];
async function draw() {
	const sheet = await load("ui.sprites");
	const sprite = new PIXI.Sprite(Object.values(sheet.textures)[0]);
	window.drawn = app.renderer.extract.pixels({ target: sprite, frame: new PIXI.Rectangle(8, 8, 1, 1) }).pixels.slice(0, 3);
}
await draw();
await onChange(%q, assets, async (path, url) => {
	changes.push(new URL(url).pathname + new URL(url).search);
	await draw();
});
document.body.dataset.ready = true;
</script>`
