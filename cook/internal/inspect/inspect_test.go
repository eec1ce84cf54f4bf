package inspect_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/cook/internal/inspect"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/profile/view"
	"github.com/assetcook/assetcook/recipes"
)

// asCook has the test binary be the command cook.
const asCook = "INSPECT_TEST_COOK"

func TestMain(m *testing.M) {
	if os.Getenv(asCook) != "" {
		cli.Main(recipes.All()...)
		return
	}
	os.Exit(m.Run())
}

// A site is a project that has been cooked and the page that shows it.
type site struct {
	t       *testing.T
	dir     string
	project cook.Project
	api     http.Handler
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// painting is a picture with every kind of alpha.
func painting(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(3 * x), uint8(5 * y), uint8(x * y), uint8(x + 8*y)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newSite(t *testing.T, files map[string][]byte) *site {
	t.Helper()
	t.Setenv(asCook, "1")
	s := &site{t: t, dir: t.TempDir()}
	s.project = cook.Project{Dir: filepath.Join(s.dir, "assets"), Cache: filepath.Join(s.dir, "store"), Recipes: recipes.All()}
	for name, data := range files {
		write(t, filepath.Join(s.project.Dir, name), data)
	}
	s.cook()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tab, err := inspect.Tab(inspect.Options{Dir: s.project.Dir, Program: self, Flags: []string{"-cache", s.project.Cache}, Recipes: s.project.Recipes})
	if err != nil {
		t.Fatal(err)
	}
	s.api = tab.API
	return s
}

func (s *site) cook() {
	s.t.Helper()
	if _, err := cook.Cook(s.t.Context(), s.project, cook.CookOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) out(name string) string { return filepath.Join(s.dir, "cooked", name) }

// get asks for something, and returns the message of an error.
func (s *site) get(what string, query url.Values, into any) string {
	s.t.Helper()
	return s.answer(httptest.NewRequest("GET", "/"+what+"?"+query.Encode(), nil), into)
}

func (s *site) post(what string, body map[string]any, into any) string {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.answer(httptest.NewRequest("POST", "/"+what, bytes.NewReader(text)), into)
}

func (s *site) answer(req *http.Request, into any) string {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		var e struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == "" || strings.Contains(e.Error, "\n") {
			s.t.Errorf("%s: status %d: %s", req.URL, w.Code, w.Body)
		}
		return e.Error
	}
	switch into := into.(type) {
	case *parts:
		n := binary.LittleEndian.Uint32(w.Body.Bytes())
		if err := json.Unmarshal(w.Body.Bytes()[4:4+n], &into.head); err != nil || (4+n)%8 != 0 {
			s.t.Errorf("header of %d bytes: %v", n, err)
		}
		into.data = w.Body.Bytes()[4+n:]
	case *[]byte:
		*into, _ = io.ReadAll(w.Body)
	default:
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			s.t.Errorf("%s: %v: %s", req.URL, err, w.Body)
		}
	}
	return ""
}

type parts struct {
	head map[string]any
	data []byte
}

func of(asset, side, file string) map[string]any {
	return map[string]any{"asset": asset, "side": side, "path": file}
}

type page struct {
	Seal         string
	All, Matched int
	Rows         []struct{ Path, Recipe, Outcome, Why string }
}

// A table has the cooked assets, also after another run, and none before the first.
func TestRows(t *testing.T) {
	s := newSite(t, map[string][]byte{"a.json": []byte("[1]"), "b/c.txt": []byte("text"), "b/D.json": []byte("{}")})
	var p page
	if err := s.get("rows", url.Values{"count": {"10"}}, &p); err != "" || p.All != 3 || p.Rows[0].Path != "a.json" || p.Rows[0].Recipe != "json" || p.Rows[0].Why != "new" {
		t.Fatalf("%s %+v", err, p)
	}
	s.get("rows", url.Values{"count": {"10"}, "q": {"B/ .JSON"}}, &p)
	if p.Matched != 1 || p.Rows[0].Path != "b/D.json" {
		t.Errorf("%+v", p)
	}
	before := p.Seal
	write(t, filepath.Join(s.project.Dir, "a.json"), []byte("[2]"))
	s.cook()
	s.get("rows", url.Values{"count": {"10"}, "run": {"last"}}, &p)
	if p.Matched != 1 || p.Rows[0].Path != "a.json" || !strings.HasPrefix(p.Rows[0].Why, "content changed") || p.Seal == before {
		t.Errorf("after the second run: %+v", p)
	}
	var runs []struct{ Cooked int }
	if err := s.get("runs", nil, &runs); err != "" || len(runs) != 2 || runs[0].Cooked != 1 || runs[1].Cooked != 3 {
		t.Errorf("%s %+v", err, runs)
	}
	if err := os.RemoveAll(s.out("")); err != nil {
		t.Fatal(err)
	}
	if err := s.get("rows", url.Values{"count": {"10"}}, &p); err != "" || p.All != 0 {
		t.Errorf("%s %+v", err, p)
	}
}

// The page shows the reasons of cook; only the asked asset is cooked again.
func TestWhyAndAgain(t *testing.T) {
	name := "odd [a] {b}.json"
	if runtime.GOOS != "windows" {
		name = "odd *[a] {b}\\?.json"
	}
	s := newSite(t, map[string][]byte{name: []byte("[1]"), "odd x[a] {b}.json": []byte("[2]")})
	var why []struct {
		Path string
		Runs bool
		Last struct{ Reasons []string }
	}
	if err := s.post("why", map[string]any{"path": name}, &why); err != "" || len(why) != 1 || why[0].Path != name || why[0].Runs || !slices.Equal(why[0].Last.Reasons, []string{"new"}) {
		t.Fatalf("%s %+v", err, why)
	}
	var again struct {
		Code int
		Text string
	}
	if err := s.post("cook", map[string]any{"path": name}, &again); err != "" || again.Code != 0 || !strings.Contains(again.Text, "1 asset") {
		t.Fatalf("%s %+v", err, again)
	}
	var p page
	s.get("rows", url.Values{"run": {"last"}, "count": {"10"}}, &p)
	if p.Matched != 1 || p.Rows[0].Path != name || p.Rows[0].Why != "forced" {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"gone.json", "../store", "/etc/passwd", ""} {
		if err := s.post("cook", map[string]any{"path": bad}, &again); err == "" && again.Code == 0 && bad != "" {
			t.Errorf("%q was cooked: %+v", bad, again)
		}
	}
}

// The pixels equal the output of the decoder, and the source's its file.
func TestPicture(t *testing.T) {
	s := newSite(t, map[string][]byte{"p.png": painting(t, 20, 12), "cook.toml": []byte("[[rule]]\nmatch = \"*.png\"\nformat = \"bc7\"\n")})
	var tex parts
	if err := s.post("texture", of("p.png", "output", "p.png.ktx2"), &tex); err != "" {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.out("p.png.ktx2"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := cooked.Open(data, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if tex.head["format"] != made.Format.String() || len(tex.head["levels"].([]any)) != len(made.Levels) {
		t.Errorf("%v", tex.head)
	}
	for level := range made.Levels {
		want, err := cooked.Level(t.Context(), made, level, 0)
		if err != nil {
			t.Fatal(err)
		}
		ask := of("p.png", "output", "p.png.ktx2")
		ask["level"] = level
		var got parts
		if err := s.post("picture", ask, &got); err != "" || !bytes.Equal(got.data, want.Pix8) || got.head["width"] != float64(want.W) {
			t.Errorf("level %d: %s %v", level, err, got.head)
		}
	}
	var source parts
	if err := s.post("picture", of("p.png", "source", "p.png"), &source); err != "" || len(source.data) != 4*20*12 || !bytes.Equal(source.data[4*21:4*22], []byte{3, 5, 1, 9}) {
		t.Errorf("%s %v %v", err, source.head, source.data[4*21:4*22])
	}
	ask := of("p.png", "source", "p.png")
	ask["width"], ask["height"] = 10, 6
	if err := s.post("picture", ask, &source); err != "" || len(source.data) != 4*10*6 || source.head["scaled"] != true || source.head["of_width"] != 20.0 {
		t.Errorf("%s %v", err, source.head)
	}
	for _, n := range []any{-1, 99} {
		ask := of("p.png", "output", "p.png.ktx2")
		ask["level"] = n
		if err := s.post("picture", ask, &source); err == "" {
			t.Errorf("level %v was there", n)
		}
	}
	var like parts
	if err := s.post("likeness", of("p.png", "output", "p.png.ktx2"), &like); err != "" || like.head["psnr"].(float64) < 25 {
		t.Errorf("%s %v", err, like.head)
	}
}

// Damaged files are errors of one line.
func TestHostileFiles(t *testing.T) {
	s := newSite(t, map[string][]byte{"p.png": painting(t, 8, 8)})
	for _, side := range []struct{ side, path, file string }{{"output", "p.png.ktx2", s.out("p.png.ktx2")}, {"source", "p.png", filepath.Join(s.project.Dir, "p.png")}} {
		whole, err := os.ReadFile(side.file)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) {
			for _, flip := range []bool{true, false} {
				data := bytes.Clone(whole)
				if data[n] ^= 0x81; !flip {
					data = data[:n]
				}
				if err := os.WriteFile(side.file, data, 0o666); err != nil {
					t.Fatal(err)
				}
				var got parts
				for _, what := range []string{"texture", "picture", "likeness"} {
					if err := s.post(what, of("p.png", side.side, side.path), &got); strings.Contains(err, "cannot be shown") {
						t.Fatalf("%s, byte %d, flipped %t: %s", side.side, n, flip, err)
					}
				}
			}
		}
		if err := os.WriteFile(side.file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Only files of the project are given: nothing by a path that leads out, none that the index
// does not have, none through a link that leads out.
func TestNoPathLeadsOut(t *testing.T) {
	s := newSite(t, map[string][]byte{"a.txt": []byte("mine"), "b.txt": []byte("other"), "sub/c.txt": []byte("c")})
	write(t, filepath.Join(s.dir, "secret.txt"), []byte("secret"))
	write(t, s.out("secret.txt"), []byte("secret"))
	all := func(side, name string) (data []byte, err string) {
		ask := of("a.txt", side, name)
		ask["to"] = 100
		err = s.post("bytes", ask, &data)
		return data, err
	}
	for _, side := range []string{"source", "output"} {
		if data, err := all(side, "a.txt"); err != "" || string(data) != "mine" {
			t.Errorf("%s: %q %s", side, data, err)
		}
		for _, name := range []string{"c.txt", "../secret.txt", "secret.txt", "sub/../../secret.txt", filepath.Join(s.dir, "secret.txt"), "", ".", "/etc/passwd", "a.txt\x00", ".cook/history"} {
			if data, err := all(side, name); err == "" {
				t.Errorf("%s %q: %q", side, name, data)
			}
		}
	}
	if data, err := all("elsewhere", "a.txt"); err == "" {
		t.Errorf("%q", data)
	}
	for _, file := range []string{filepath.Join(s.project.Dir, "a.txt"), s.out("a.txt")} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(s.dir, "secret.txt"), file); err != nil {
			t.Skip(err)
		}
	}
	for _, side := range []string{"source", "output"} {
		if data, err := all(side, "a.txt"); err == "" {
			t.Errorf("%s through a link: %q", side, data)
		}
	}
}

// A request gets exactly the bytes of its range.
func TestBytes(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 1000)
	s := newSite(t, map[string][]byte{"a.txt": text})
	for _, r := range [][2]int{{0, 10}, {9990, 10000}, {9995, 20000}, {20000, 30000}, {5, 5}} {
		ask := of("a.txt", "output", "a.txt")
		ask["from"], ask["to"] = r[0], r[1]
		var got []byte
		want := text[min(r[0], len(text)):min(r[1], len(text))]
		if err := s.post("bytes", ask, &got); err != "" || !bytes.Equal(got, want) {
			t.Errorf("%v: %q %s", r, got, err)
		}
	}
	for _, r := range [][2]int{{-1, 10}, {10, 5}} {
		ask := of("a.txt", "output", "a.txt")
		ask["from"], ask["to"] = r[0], r[1]
		if err := s.post("bytes", ask, new([]byte)); err == "" {
			t.Errorf("%v was answered", r)
		}
	}
}

// Requests for content need the token, and must come from the page itself.
func TestToken(t *testing.T) {
	s := newSite(t, map[string][]byte{"a.txt": []byte("mine")})
	tab, err := inspect.Tab(inspect.Options{Dir: s.project.Dir})
	if err != nil {
		t.Fatal(err)
	}
	handler := view.Handler(view.Sources{Tabs: []view.Tab{tab}, Token: "right"})
	status := func(method, what, token, site string) int {
		body, _ := json.Marshal(map[string]any{"asset": "a.txt", "side": "source", "path": "a.txt", "to": 10})
		req := httptest.NewRequest(method, "http://127.0.0.1/tabs/assets/api/"+what, bytes.NewReader(body))
		req.Header.Set("X-View-Token", token)
		req.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		return w.Code
	}
	for _, what := range []string{"bytes", "picture", "texture", "likeness", "losses", "why", "cook"} {
		if got := status("POST", what, "wrong", "same-origin"); got != http.StatusForbidden {
			t.Errorf("%s without the token: %d", what, got)
		}
		if got := status("GET", what, "right", "same-origin"); got == http.StatusOK {
			t.Errorf("%s by GET: %d", what, got)
		}
	}
	if got := status("POST", "bytes", "right", "same-origin"); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	for _, method := range []string{"GET", "POST"} {
		if got := status(method, "rows", "right", "cross-site"); got != http.StatusForbidden {
			t.Errorf("%s from another site: %d", method, got)
		}
	}
}

// Without the program there are no answers; its errors are shown.
func TestPrograms(t *testing.T) {
	s := newSite(t, map[string][]byte{"a.txt": []byte("mine")})
	for _, program := range []string{"", filepath.Join(s.dir, "none")} {
		tab, err := inspect.Tab(inspect.Options{Dir: s.project.Dir, Program: program})
		if err != nil {
			t.Fatal(err)
		}
		s.api = tab.API
		for _, what := range []string{"why", "cook"} {
			if err := s.post(what, map[string]any{"path": "a.txt"}, new(any)); err == "" {
				t.Errorf("%s by %q was answered", what, program)
			}
		}
	}
	if _, err := inspect.Tab(inspect.Options{Dir: filepath.Join(s.dir, "none")}); err == nil {
		t.Error("a directory that is not there was opened")
	}
}

// All textures are compared, those first that have lost most, and again when they were
// cooked again.
func TestLosses(t *testing.T) {
	rule := "[[rule]]\nmatch = \"%s.png\"\nformat = \"%s\"\n"
	s := newSite(t, map[string][]byte{
		"bc1.png": painting(t, 32, 32), "bc7.png": painting(t, 32, 32), "plain.png": painting(t, 32, 32), "a.txt": []byte("text"),
		"cook.toml": fmt.Appendf(nil, rule+rule+rule, "bc1", "bc1a", "bc7", "bc7", "plain", "rgba8"),
	})
	var got struct {
		Of, Done, Known int
		Rows            []struct {
			Path, Note string
			PSNR       float64
		}
	}
	all := func() {
		for got.Done = -1; got.Done != got.Of; { // it goes on while it is asked
			if err := s.post("losses", map[string]any{}, &got); err != "" {
				t.Fatal(err)
			}
		}
	}
	all()
	if got.Of != 3 || got.Known != 2 || got.Rows[0].Path != "bc1.png" || got.Rows[1].Path != "bc7.png" || got.Rows[1].PSNR < got.Rows[0].PSNR || got.Rows[2].Note == "" {
		t.Errorf("%+v", got)
	}
	before := got.Rows[1].PSNR
	write(t, filepath.Join(s.project.Dir, "bc7.png"), painting(t, 16, 16))
	s.cook()
	all()
	if got.Known != 2 || got.Rows[1].PSNR == before {
		t.Errorf("%+v", got)
	}
}

// The answer for one asset has its row of the table, and the assets that read it.
func TestAssetHasItsRowAndUsers(t *testing.T) {
	s := newSite(t, map[string][]byte{
		"m.gltf": []byte(`{"asset":{"version":"2.0"},"images":[{"uri":"p.png"}]}`), "p.png": painting(t, 8, 8),
		"cook.toml": []byte("[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\noutputs = [\"{path}\"]\n"),
	})
	var got struct {
		Row     struct{ Path, Recipe string }
		Outputs []struct{ Path string }
		Users   []string
	}
	if err := s.get("asset", url.Values{"path": {"p.png"}}, &got); err != "" || got.Row.Path != "p.png" || got.Row.Recipe != "image" || len(got.Outputs) != 1 {
		t.Errorf("%s %+v", err, got)
	}
	if !slices.Equal(got.Users, []string{"m.gltf"}) {
		t.Errorf("users %q", got.Users)
	}
}
