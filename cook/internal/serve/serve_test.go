package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// secret is part of each file that no server may send.
const secret = "this text must stay on this machine"

// A project is a directory of assets with the unnamed target, and the targets mobile and desktop.
type project struct {
	t *testing.T
	cook.Project
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir := t.TempDir()
	p := &project{t, cook.Project{
		Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: builtin.All(),
	}}
	p.write("cook.toml", "[target.mobile]\n[target.desktop]\n")
	p.write("a.txt", "first")
	p.write("level/b.json", `{"n":[1,2,3]}`)
	p.write("level/deep/zwei Wörter %2e.txt", "second")
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.Dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		p.t.Fatal(err)
	}
}

// cook cooks for some targets. Without targets, it cooks for the unnamed target.
func (p *project) cook(targets ...string) {
	p.t.Helper()
	project := p.Project
	project.Targets = targets
	if sum, err := cook.Cook(p.t.Context(), project, cook.CookOptions{}); err != nil || sum.Failures() > 0 {
		p.t.Fatal(err, sum.String())
	}
}

// start starts a server for a target.
func (p *project) start(target, token string) *Server {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := Start(ctx, Options{Out: p.Out, Target: target, Token: token})
	p.t.Cleanup(func() { cancel(); <-s.followed })
	return s
}

// ask sends a request to a server, without a network.
func ask(s http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://localhost/", nil)
	req.URL.Path, req.RequestURI = target, target
	if path, query, ok := strings.Cut(target, "?"); ok {
		req.URL.Path, req.URL.RawQuery = path, query
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

// exported returns the files of an export of one target.
func (p *project) exported(target string) map[string]string {
	p.t.Helper()
	to := p.t.TempDir()
	from, err := export.Open(p.Out, target, "")
	if err != nil {
		p.t.Fatal(err)
	}
	defer from.Close()
	if _, err := from.CopyTo(p.t.Context(), to, 1, false); err != nil {
		p.t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range regularFiles(p.t, to) {
		data, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name)))
		if err != nil {
			p.t.Fatal(err)
		}
		files[name] = string(data)
	}
	return files
}

func regularFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestServedFilesEqualExport compares each response with the file of an export of the same target.
func TestServedFilesEqualExport(t *testing.T) {
	for _, layout := range manifest.LayoutNames() {
		t.Run(layout, func(t *testing.T) {
			p := newProject(t)
			p.Manifest = layout
			p.cook("mobile", "desktop")
			for _, target := range []string{"mobile", "desktop"} {
				s := p.start(target, "")
				files := p.exported(target)
				if len(files) < 4 {
					t.Fatalf("%d files", len(files))
				}
				for name, want := range files {
					w := ask(s, "GET", "/"+name)
					if w.Code != 200 || w.Body.String() != want || w.Header().Get("ETag") != etagOf(hashing.DigestOf([]byte(want))) {
						t.Errorf("%s %s: %d %q, %v; want %q", target, name, w.Code, w.Body, w.Header(), want)
					}
				}
			}
		})
	}
}

// TestUnnamedTargetHasNoFilesOfOthers expects the manifest of the unnamed target to list no outputs
// of named targets, which are below the same directory.
func TestUnnamedTargetHasNoFilesOfOthers(t *testing.T) {
	p := newProject(t)
	p.cook()
	want := p.exported("")
	p.cook("mobile")
	s := p.start("", "")
	got := map[string]string{}
	for name := range want {
		got[name] = ask(s, "GET", "/"+name).Body.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if w := ask(s, "GET", "/mobile/a.txt"); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// hide adds files with a secret to an output directory, and links to them.
func hide(t *testing.T, p *project) {
	t.Helper()
	outside := filepath.Join(filepath.Dir(p.Out), "id_rsa")
	for _, name := range []string{outside, filepath.Join(p.Out, "own.txt"), filepath.Join(p.Out, ".cook", "key"), filepath.Join(p.Out, "mobile", "own.txt")} {
		if err := os.WriteFile(name, []byte(secret), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"mobile/link.txt": outside, "mobile/up": "..", "mobile/state": "../.cook"} {
		if err := os.Symlink(to, filepath.Join(p.Out, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
}

// pathParts are parts of paths that lead to secrets, or to files of the target.
var pathParts = []string{
	"/", "//", "/./", "..", "/../", ".", "\\", "..\\", "%2e%2e", "%2f", "\x00", "\xff", "~", "C:", "?", "#", ":", " ", "@",
	".cook", ".cook/index", ".cook/key", "CACHEDIR.TAG", ".gitignore", "manifest.json", "manifest.parts", "events.txt",
	"own.txt", "link.txt", "up", "state", "key", "id_rsa", "mobile", "desktop", "assets", "cook.toml", "out", "store",
	"a.txt", "A.TXT", "level", "level/b.json", "b.json", "deep", "zwei Wörter %2e.txt", "index.html", "etc/passwd",
}

// checkPath expects the response to a path to be a file that the target has, or an error without a
// secret.
func checkPath(t interface{ Errorf(string, ...any) }, s http.Handler, files map[string]string, path string) {
	w := ask(s, "GET", path)
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "?")
	want, listed := files[name]
	switch body := w.Body.String(); {
	case strings.Contains(body, secret):
		t.Errorf("%q: the secret", path)
	case listed && (w.Code != 200 || body != want):
		t.Errorf("%q: %d %q, want %q", path, w.Code, body, want)
	case !listed && w.Code != 404 && name != "" && name != scriptName:
		t.Errorf("%q: %d %q, want 404", path, w.Code, body)
	}
}

// TestOnlyListedFilesAreServed requests paths that lead to the state, to sources, to other targets,
// to links and to files outside of the output directory.
func TestOnlyListedFilesAreServed(t *testing.T) {
	p := newProject(t)
	p.cook("mobile", "desktop")
	files := p.exported("mobile")
	hide(t, p)
	s := p.start("mobile", "")
	for _, name := range regularFiles(t, filepath.Dir(p.Out)) {
		checkPath(t, s, files, "/"+name)
		checkPath(t, s, files, "/../"+name)
		checkPath(t, s, files, "//"+name)
		checkPath(t, s, files, filepath.Join(filepath.Dir(p.Out), name))
	}
	rapid.Check(t, func(t *rapid.T) {
		path := "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pathParts), 1, 6).Draw(t, "parts"), rapid.SampledFrom([]string{"", "/"}).Draw(t, "between"))
		checkPath(t, s, files, path)
	})
}

// FuzzPath is TestOnlyListedFilesAreServed with arbitrary paths.
func FuzzPath(f *testing.F) {
	for _, part := range pathParts {
		f.Add("/" + part)
		f.Add("/../" + part)
		f.Add("/mobile/" + part)
	}
	dir := f.TempDir()
	out := filepath.Join(dir, "out")
	files := map[string]string{}
	var assets []manifest.Asset
	for name, text := range map[string]string{"mobile/a.txt": "a", "mobile/level/b.txt": "b"} {
		below, _ := export.BelowTarget("mobile", name)
		files[below] = text
		assets = append(assets, manifest.Asset{Source: below, Target: "mobile", Outputs: []manifest.Output{{Path: name, Size: 1, BLAKE3: hashing.DigestOf([]byte(text))}}})
		write(f, filepath.Join(out, filepath.FromSlash(name)), text)
	}
	slices.SortFunc(assets, func(a, b manifest.Asset) int { return strings.Compare(a.Source, b.Source) })
	for _, name := range []string{"key", "out/own.txt", "out/.cook/index", "out/mobile/own.txt", "out/desktop/a.txt"} {
		write(f, filepath.Join(dir, name), secret)
	}
	if err := manifest.Build(manifest.Single, slices.Values(assets), func(file manifest.File) error {
		return os.WriteFile(filepath.Join(out, file.Name), file.Data, 0o666)
	}); err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := Start(ctx, Options{Out: out, Target: "mobile"})
	f.Cleanup(func() { cancel(); <-s.followed })
	files[manifest.Name] = ask(s, "GET", "/"+manifest.Name).Body.String()
	f.Fuzz(func(t *testing.T, path string) {
		if strings.TrimPrefix(path, "/") != eventsName && !strings.HasPrefix(strings.TrimPrefix(path, "/"), eventsName+"?") {
			checkPath(t, s, files, path)
		}
	})
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestListedLinksAreNotServed replaces an artifact, and then a directory, by a link to a secret.
func TestListedLinksAreNotServed(t *testing.T) {
	p := newProject(t)
	p.cook("mobile")
	hide(t, p)
	s := p.start("mobile", "")
	level := filepath.Join(p.Out, "mobile", "level")
	if err := errors.Join(
		os.Remove(filepath.Join(p.Out, "mobile", "a.txt")), os.Symlink("own.txt", filepath.Join(p.Out, "mobile", "a.txt")),
		os.RemoveAll(level), os.Symlink("../.cook", level), os.WriteFile(filepath.Join(p.Out, ".cook", "b.json"), []byte(secret), 0o666),
	); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/a.txt", "/level/b.json"} {
		if w := ask(s, "GET", name); w.Code != 404 || strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestManifestCannotListTheState serves an output directory whose manifest lists files of cook.
func TestManifestCannotListTheState(t *testing.T) {
	out := t.TempDir()
	var assets []manifest.Asset
	for _, name := range []string{".COOK/key", ".cook/key", ".cook-work/key"} {
		write(t, filepath.Join(out, filepath.FromSlash(name)), secret)
		assets = append(assets, manifest.Asset{Source: name, Outputs: []manifest.Output{{Path: name}}})
	}
	slices.SortFunc(assets, func(a, b manifest.Asset) int { return strings.Compare(a.Source, b.Source) })
	if err := manifest.Build(manifest.Single, slices.Values(assets), func(f manifest.File) error {
		return os.WriteFile(filepath.Join(out, f.Name), f.Data, 0o666)
	}); err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, Project: cook.Project{Out: out}}
	s := p.start("", "")
	for _, a := range assets {
		if w := ask(s, "GET", "/"+a.Source); w.Code != 404 {
			t.Errorf("%s: %d %s", a.Source, w.Code, w.Body)
		}
	}
}

// TestRangesArePartsOfTheFile compares random ranges with the file.
func TestRangesArePartsOfTheFile(t *testing.T) {
	p := newProject(t)
	text := strings.Repeat("0123456789abcdef", 300)
	p.write("long.txt", text)
	p.cook()
	s := p.start("", "")
	etag := ask(s, "HEAD", "/long.txt").Header().Get("ETag")
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(text)+10).Draw(t, "to")
		end := min(to+1, len(text))
		w := ask(s, "GET", "/long.txt", "Range", fmt.Sprintf("bytes=%d-%d", from, to), "If-Range", etag)
		if want := fmt.Sprintf("bytes %d-%d/%d", from, end-1, len(text)); w.Code != 206 || w.Body.String() != text[from:end] || w.Header().Get("Content-Range") != want {
			t.Errorf("%d %v: %d bytes", w.Code, w.Header(), w.Body.Len())
		}
	})
	for _, test := range []struct {
		header []string
		code   int
		size   int
	}{
		{[]string{"Range", "bytes=-16"}, 206, 16},
		{[]string{"Range", "bytes=9999-"}, 416, -1},
		{[]string{"Range", "bytes=0-15", "If-Range", `"other"`}, 200, len(text)},
		{[]string{"Range", "bytes=0-15", "If-Range", "Mon, 02 Jan 2300 15:04:05 GMT"}, 200, len(text)},
		{[]string{"If-None-Match", etag}, 304, 0},
		{[]string{"If-None-Match", `"other"`}, 200, len(text)},
		{[]string{"If-Modified-Since", "Mon, 02 Jan 2300 15:04:05 GMT"}, 200, len(text)},
	} {
		if w := ask(s, "GET", "/long.txt", test.header...); w.Code != test.code || test.size >= 0 && w.Body.Len() != test.size {
			t.Errorf("%q: %d, %d bytes", test.header, w.Code, w.Body.Len())
		}
	}
}

// TestContentTypesAreThoseOfTheTable requests files with several extensions.
func TestContentTypesAreThoseOfTheTable(t *testing.T) {
	p := newProject(t)
	for name, want := range map[string]string{
		"x.KTX2": "image/ktx2", "x.glb": "model/gltf-binary", "x.wasm": "application/wasm", "x.mjs": "text/javascript; charset=utf-8", "x.unheard": "application/octet-stream", "none": "application/octet-stream",
	} {
		write(t, filepath.Join(p.Out, name), "x")
		s := p.start("", "")
		s.tree.announce([]reload.Change{{Path: name}})
		if w := ask(s, "GET", "/"+name); w.Code != 200 || w.Header().Get("Content-Type") != want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
}

// TestAnnouncedFilesAreServedBeforeTheManifest sends changes for which no manifest is written.
func TestAnnouncedFilesAreServedBeforeTheManifest(t *testing.T) {
	p := newProject(t)
	p.cook("mobile")
	s := p.start("mobile", "")
	change := func(path, target string, removed bool) reload.Batch {
		return reload.Batch{Changes: []reload.Change{{Path: path, Removed: removed, Cause: reload.Cause{Source: "new.txt", Target: target}}}}
	}
	for _, name := range []string{"mobile/new.txt", "mobile/other.txt", "desktop/other.txt"} {
		write(t, filepath.Join(p.Out, filepath.FromSlash(name)), "new")
	}
	s.receiveBatch(change("mobile/new.txt", "mobile", false), nil)
	s.receiveBatch(change("mobile/other.txt", "desktop", false), nil)
	s.receiveBatch(change("desktop/other.txt", "mobile", false), nil)
	for name, want := range map[string]int{"new.txt": 200, "other.txt": 404, "desktop/other.txt": 404} {
		if w := ask(s, "GET", "/"+name); w.Code != want {
			t.Errorf("%s: %d, want %d", name, w.Code, want)
		}
	}
	s.receiveBatch(change("mobile/new.txt", "mobile", true), nil)
	s.receiveBatch(change("mobile/a.txt", "mobile", true), nil)
	for _, name := range []string{"new.txt", "a.txt"} {
		if w := ask(s, "GET", "/"+name); w.Code != 404 {
			t.Errorf("%s: %d after its removal", name, w.Code)
		}
	}
}

func TestNothingCookedIsNotAMissingFile(t *testing.T) {
	p := newProject(t)
	s := p.start("mobile", "")
	for range 2 {
		if w := ask(s, "GET", "/manifest.json"); w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		p.cook("desktop") // the manifest has no outputs of the target mobile
	}
	p.cook("mobile")
	if w := ask(s, "GET", "/manifest.json"); w.Code != 200 || !strings.Contains(w.Body.String(), `"path":"a.txt"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(s, "GET", "/none.txt"); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRootIsTheIndexOfTheTarget(t *testing.T) {
	p := newProject(t)
	p.cook()
	s := p.start("", "")
	if w := ask(s, "GET", "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "manifest.json") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	p.write("index.html", "<p>game")
	p.cook()
	if w := ask(s, "GET", "/"); w.Code != 200 || w.Body.String() != "<p>game" || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

func TestFilesCannotBeWritten(t *testing.T) {
	p := newProject(t)
	p.cook()
	s := p.start("", "")
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "PROPFIND"} {
		if w := ask(s, method, "/a.txt"); w.Code != 405 || w.Header().Get("Allow") == "" {
			t.Errorf("%s: %d %v", method, w.Code, w.Header())
		}
	}
	if w := ask(s, "HEAD", "/events"); w.Code != 405 {
		t.Errorf("HEAD of a stream: %d", w.Code)
	}
	req := httptest.NewRequest("GET", "http://localhost/a.txt", strings.NewReader("body"))
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, req); w.Code != 400 {
		t.Errorf("a body: %d", w.Code)
	}
}
