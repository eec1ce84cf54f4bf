package game

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

func TestHandler(t *testing.T) {
	dir := t.TempDir()
	p := Project(filepath.Join(dir, "assets"), filepath.Join(dir, "out"))
	p.Cache = filepath.Join(dir, "store")
	if err := Sample(p.Dir, "../../../testdata/assets/textures/props/crate.png"); err != nil {
		t.Fatal(err)
	}
	s, err := cook.Cook(t.Context(), p, cook.CookOptions{})
	if err != nil || s.Failures() > 0 {
		t.Fatal(s.String(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(p.Out, "link")); err != nil {
		t.Log(err)
	}
	handler := Handler(p.Out)
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/":                            {200, "<canvas"},
		"/scene.js":                    {200, "/reload.js"},
		"/reload.js":                   {200, "EventSource"},
		"/cooked/bc7/scene.json":       {200, "speed"},
		"/cooked/bc7/texture.png.ktx2": {200, "KTX 20"},
		"/cooked/rgba8/scene.frag":     {200, "#version 300 es"},
		"/cooked/bc7/missing":          {404, ""},
		"/cooked/.cook/lock":           {404, ""},
		"/cooked/bc7/":                 {404, ""},
		"/cooked/link":                 {404, ""},
		"/cooked/%2e%2e/secret":        {404, ""},
		"/cooked/../assets/x":          {404, ""},
		"/cooked/bc7/../../secret":     {404, ""},
		"/cooked/..%2fassets/a.png":    {404, ""},
	} {
		w := httptest.NewRecorder()
		req := httptest.NewRequest("GET", path, nil)
		req.Host = "localhost"
		handler.ServeHTTP(w, req)
		if got := w.Code; (got == 200) != (want.code == 200) || got < 200 || got >= 600 || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %.100q", path, got, w.Body)
		}
	}
}
