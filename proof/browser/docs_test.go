package browser

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The docs page of each engine shows a loader, a web page that uses it, and code for hot reload. If
// a developer types in the shown code, the web page loads its outputs, plays a sound after a click,
// and loads an output again after an edit.
func TestPagesOfEnginesWorkAsTyped(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	cook := filepath.Join(t.TempDir(), "cook")
	build := exec.Command("go", "build", "-o", cook, "./cmd/cook")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// An engine without a source in this table uses other names in its code for hot reload.
	// TestCodeForHotReloadShowsChanges runs that code.
	for _, tc := range []struct{ engine, packages, source, output string }{
		{"three", "three@0.180.0", "models/kart.gltf", "models/kart.glb"},
		{"playcanvas", "playcanvas@2.23.3 three@0.180.0", "", "models/kart.glb"},
		{"pixi", "pixi.js@8.22.0", "textures/ui/trophy.webp", "textures/ui/trophy.webp"},
		{"phaser", "phaser@4.2.1", "", "textures/ui/trophy.webp"},
	} {
		t.Run(tc.engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			npm := exec.Command("sh", "-c", "npm install --silent --no-audit --no-fund --ignore-scripts "+tc.packages)
			npm.Dir = dir
			if out, err := npm.CombinedOutput(); err != nil {
				t.Skipf("the engine cannot be installed: %v: %.200s", err, out)
			}
			if err := os.CopyFS(filepath.Join(dir, "assets"), os.DirFS("../../testdata/assets")); err != nil {
				t.Fatal(err)
			}
			server := typePage(t, dir, tc.engine, tc.source != "")
			startWatch(t, exec.Command(cook, "-dir", "assets", "-engine", tc.engine, "-watch", "-http", server), dir, tc.output)
			files, again := http.FileServer(http.Dir(dir)), make(chan bool, 8)
			p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/favicon.ico" {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				files.ServeHTTP(w, r)
				if r.URL.Path == "/cooked/"+tc.output && r.URL.RawQuery != "" {
					again <- true
				}
			}), "")
			p.do(chromedp.MouseClickXY(5, 5))
			p.until(`performance.getEntriesByType("resource").some(e => e.name.endsWith(".opus") && e.responseStatus < 300)`)
			if tc.source == "" {
				return
			}
			source := filepath.Join(dir, "assets", filepath.FromSlash(tc.source))
			if err := os.WriteFile(source, edited(t, source), 0o666); err != nil {
				t.Fatal(err)
			}
			select {
			case <-again:
			case <-time.After(time.Minute):
				t.Error("the page does not load the edited output")
			}
			p.forgive("request to another server: http://" + server)
		})
	}
}

// The game on the docs page of Ebitengine compiles with the loader of this page.
func TestGameOnPageOfEbitengineCompiles(t *testing.T) {
	page, err := os.ReadFile("../../docs/engines/ebitengine.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)```\n").FindAllSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of Go", len(blocks))
	}
	files := map[string][]byte{"outputs/outputs.go": blocks[0][1], "main.go": blocks[1][1], "cooked/menu.json": nil}
	for _, name := range []string{"go.mod", "go.sum"} {
		if files[name], err = os.ReadFile("../engines/ebitengine/" + name); err != nil {
			t.Fatal(err)
		}
	}
	files["go.mod"] = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(files["go.mod"], []byte("module game"))
	dir := t.TempDir()
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.Command("go", "vet", ".")
	vet.Dir, vet.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// typePage writes the files that the docs page of an engine shows, and the sources that the page's
// first commands write. If hot is set, it appends the code for hot reload to the script. In that
// code, the returned address replaces the address of cook -http.
func typePage(t *testing.T, dir, engine string, hot bool) (server string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/engines/" + engine + ".md")
	if err != nil {
		t.Fatal(err)
	}
	part := func(begin, end string) string {
		_, rest, ok := strings.Cut(string(text), begin)
		code, _, also := strings.Cut(rest, end)
		if !ok || !also {
			t.Fatalf("docs/engines/%s.md has no code between %q and %q", engine, begin, end)
		}
		return code
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server = l.Addr().String()
	l.Close()
	follow := ""
	if hot {
		follow = regexp.MustCompile(`(?m)^    `).ReplaceAllString(part("\n## Hot reload\n", "\n## "), "")
		follow = follow[strings.Index(follow, "import {"):]
		follow = strings.ReplaceAll(follow[:strings.Index(follow, "\n});")+4], "127.0.0.1:7357", server)
	}
	for line := range strings.Lines(part("\n```sh\n", "```\n")) {
		if pattern, source, ok := strings.Cut(strings.TrimPrefix(line, "echo "), " > "); ok {
			if err := os.WriteFile(filepath.Join(dir, strings.TrimSpace(source)), []byte(pattern+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	index := strings.Replace(part("\n```html\n", "```\n"), "</script></body>", follow+"\ndocument.body.dataset.ready = true;\n</script></body>", 1)
	for name, code := range map[string]string{"outputs.js": part("\n```js\n", "```\n"), "index.html": index} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return server
}

// startWatch starts a watching cook, which is stopped at the end of the test, and waits for an
// output.
func startWatch(t *testing.T, cmd *exec.Cmd, dir, output string) {
	t.Helper()
	var said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	manifest := filepath.Join(dir, "cooked", "manifest.json")
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if text, err := os.ReadFile(manifest); err == nil && bytes.Contains(text, []byte(output)) {
			return
		}
	}
	t.Fatalf("no %s after a minute: %s", output, said.String())
}

// edited returns different valid content for a model or an image.
func edited(t *testing.T, source string) []byte {
	t.Helper()
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(source) == ".gltf" {
		return bytes.Replace(data, []byte(`"asset"`), []byte(`"extras":{"edited":true},"asset"`), 1)
	}
	data = append(data, "ODDS\x04\x00\x00\x00edit"...) // readers ignore this chunk
	data[4], data[5] = byte(len(data)-8), byte((len(data)-8)>>8)
	return data
}
