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
	"strconv"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/cook/internal/inspect"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/profile/view"
	"github.com/assetcook/assetcook/recipes"
)

// asCook is the variable that makes the test binary act as the command cook.
const asCook = "INSPECT_TEST_COOK"

func TestMain(m *testing.M) {
	if os.Getenv(asCook) != "" {
		cli.Main(recipes.All()...)
		return
	}
	os.Exit(m.Run())
}

// A site is a cooked project and the page that shows it.
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

// painting returns a PNG with all kinds of alpha values.
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
	s.project = cook.Project{Dir: filepath.Join(s.dir, "assets"), Cache: filepath.Join(s.dir, "store"), Recipes: recipes.All(), Engine: "own"}
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

// get sends a request, and returns the message of an error.
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

// The table lists the cooked assets. A later run updates the table. Before the first run, the table
// is empty.
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
	var report struct{ HTML string }
	if err := s.get("report", url.Values{"list": {"runs"}}, &report); err != "" {
		t.Fatal(err)
	}
	if runs := tableCells(t, report.HTML, "runs"); len(runs) != 2 || runs[0]["cooked"] != "1" || runs[1]["cooked"] != "3" || !strings.HasPrefix(runs[0]["longest"], "a.json ") {
		t.Errorf("%v", runs)
	}
	if err := os.RemoveAll(s.out("")); err != nil {
		t.Fatal(err)
	}
	if err := s.get("rows", url.Values{"count": {"10"}}, &p); err != "" || p.All != 0 {
		t.Errorf("%s %+v", err, p)
	}
}

// The page shows the reasons that the program prints. Only the requested asset is cooked again.
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

// A request for a damaged file must not panic.
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

// The tab serves only files of the project. It refuses paths that lead out of the project, files
// that are not in the index, and links that lead out of the project.
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

// The response to a request for a range has exactly the bytes of this range.
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
	handler := view.New(view.Sources{Tabs: []view.Tab{tab}, Token: "right"})
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

// Without the cook program, the page can neither explain nor cook an asset.
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

// All textures are compared, and the textures with the largest losses are listed first. Textures
// that were cooked again are compared again.
func TestLosses(t *testing.T) {
	rule := "[[rule]]\nmatch = \"%s.png\"\nformat = \"%s\"\n"
	s := newSite(t, map[string][]byte{
		"bc1.png": painting(t, 32, 32), "bc7.png": painting(t, 32, 32), "plain.png": painting(t, 32, 32), "a.txt": []byte("text"),
		"cook.toml": fmt.Appendf(nil, rule+rule+rule, "bc1", "bc1a", "bc7", "bc7", "plain", "rgba8"),
	})
	psnr := func(r map[string]string) float64 {
		db, _ := strconv.ParseFloat(r["PSNR in dB"], 64)
		return db
	}
	got := s.losses()
	if len(got) != 3 || got[0]["texture"] != "bc1.png" || got[1]["texture"] != "bc7.png" || psnr(got[1]) < psnr(got[0]) || got[2][""] == "" {
		t.Errorf("%v", got)
	}
	before := psnr(got[1])
	write(t, filepath.Join(s.project.Dir, "bc7.png"), painting(t, 16, 16))
	s.cook()
	if got = s.losses(); psnr(got[1]) == before || psnr(got[2]) != 0 {
		t.Errorf("%v", got)
	}
}

// TestReportLinksToAssets expects a link to an asset with an odd name, and the expected section in
// every list of the report.
func TestReportLinksToAssets(t *testing.T) {
	name := "odd \"<b>&a.txt"
	s := newSite(t, map[string][]byte{name: []byte("text")})
	var got struct{ State, HTML string }
	for list, section := range map[string]string{"last": "glance", "where": "where", "growth": "problems", "runs": "history"} {
		if err := s.get("report", url.Values{"list": {list}}, &got); err != "" || !strings.Contains(got.HTML, "<section id="+section+">") {
			t.Errorf("%s: %s: %s", list, err, got.HTML)
		}
	}
	s.get("report", url.Values{"list": {"last"}}, &got)
	if link := "#a.asset=" + url.QueryEscape(name) + "&amp;a.target=&amp;tab=assets"; !strings.Contains(got.HTML, link) {
		t.Errorf("no link %s in %s", link, got.HTML)
	}
	state := got.State
	got.HTML = ""
	if s.get("report", url.Values{"list": {"last"}, "state": {state}}, &got); got.HTML != "" {
		t.Error("the same state is sent again")
	}
	if err := s.get("report", url.Values{"list": {"none"}}, &got); err == "" {
		t.Error("a list that does not exist has an answer")
	}
}

// The answer for one asset contains its row of the table, and the assets that read it.
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
