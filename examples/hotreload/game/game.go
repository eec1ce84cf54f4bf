// Package game has the scene of examples/hotreload: its assets, and the page that shows them.
package game

import (
	"embed"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/recipes"
)

//go:embed page
var page embed.FS

//go:embed assets
var samples embed.FS

// Targets are the texture formats. rgba8 is for browsers that cannot show BC7.
var Targets = []string{"bc7", "rgba8"}

// Project returns a project that cooks the assets of the page.
func Project(dir, out string) cook.Project {
	return cook.Project{Dir: dir, Out: out, Recipes: recipes.All(), Targets: Targets, Engine: "own"}
}

// Sample fills a directory with sample assets, including an image for the texture.
func Sample(dir, picture string) error {
	data, err := os.ReadFile(picture)
	if err != nil {
		return err
	}
	sub, err := fs.Sub(samples, "assets")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, sub); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "texture.png"), data, 0o666)
}

// policy is a content security policy that lets the page use only its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Handler serves the page, the files of an output directory below /cooked/, and events about
// changed files.
func Handler(out string) http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // cannot happen, because the page is embedded
	}
	pages, changes := http.FileServerFS(files), reload.Handler(out)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		switch {
		case req.URL.Path == "/events" || req.URL.Path == "/reload.js":
			changes.ServeHTTP(w, req)
		case strings.HasPrefix(req.URL.Path, "/cooked/"):
			serveArtifact(w, req, out)
		default:
			pages.ServeHTTP(w, req)
		}
	})
}

// serveArtifact serves a file of the output directory. It does not follow links out of the
// directory.
func serveArtifact(w http.ResponseWriter, req *http.Request, out string) {
	root, err := os.OpenRoot(out)
	if err != nil {
		http.Error(w, "there is no output directory yet", http.StatusNotFound)
		return
	}
	defer root.Close()
	w.Header().Set("Cache-Control", "no-store")
	name := strings.TrimPrefix(req.URL.Path, "/cooked/")
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "/") {
		http.NotFound(w, req)
		return
	}
	http.ServeFileFS(w, req, root.FS(), name)
}
