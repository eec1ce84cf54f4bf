package inspect

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/view"
)

//go:embed tab
var embedded embed.FS

// Options say what project is shown.
type Options struct {
	Dir string // of the source assets
	Out string // output directory; "" is the one that a cook would take

	// Program cooks the project and explains assets: it takes the flags of the command
	// cook, and Flags besides -dir and -out. With "" neither can be asked for.
	Program string
	Flags   []string

	// Recipes prepare sources for comparisons with textures, and decide on roles.
	Recipes []recipe.Recipe
}

// Tab returns the tab of a project. The output directory need not exist yet.
func Tab(o Options) (view.Tab, error) {
	out, err := survey.OutputFolder(o.Dir, o.Out)
	if err != nil {
		return view.Tab{}, err
	}
	set, err := recipeset.New(o.Recipes...)
	if err != nil {
		return view.Tab{}, err
	}
	assets, err := confine.Open(o.Dir)
	if err != nil {
		return view.Tab{}, fmt.Errorf("asset directory: %w", err)
	}
	files, err := fs.Sub(embedded, "tab")
	if err != nil {
		panic(err) // the directory is embedded
	}
	p := &project{Options: o, assets: assets, out: out, judge: likeness.NewJudge(assets, set), turn: make(chan struct{}, 2)}
	p.table.out = out
	return view.Tab{ID: "assets", Title: "Assets", Files: files, API: p.routes()}, nil
}

// A project answers the requests of the tab.
type project struct {
	Options
	assets *confine.Dir
	out    string // absolute
	judge  *likeness.Judge
	table  table
	losses losses

	turn chan struct{} // limits decoding, which takes memory
}

func (p *project) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rows", p.rows)
	mux.HandleFunc("GET /asset", p.asset)
	mux.HandleFunc("GET /runs", p.runs)
	mux.HandleFunc("POST /why", p.why)
	mux.HandleFunc("POST /cook", p.cook)
	mux.HandleFunc("POST /losses", p.listLosses)
	mux.HandleFunc("POST /bytes", p.bytes)
	mux.HandleFunc("POST /texture", p.decoding(p.texture))
	mux.HandleFunc("POST /likeness", p.decoding(p.likeness))
	mux.HandleFunc("POST /picture", p.decoding(p.picture))
	mux.HandleFunc("POST /mesh", p.decoding(p.mesh))
	mux.HandleFunc("POST /sound", p.decoding(p.sound))
	return mux
}

// decoding answers by f, which reads a file: a few at a time, because a file may take as
// much memory as its pixels do.
func (p *project) decoding(f func(context.Context, *file) (header any, parts [][]byte, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		var of file
		if !webjson.Read(w, req, &of) {
			return
		}
		ctx := req.Context()
		select {
		case p.turn <- struct{}{}:
			defer func() { <-p.turn }()
		case <-ctx.Done():
			return
		}
		header, parts, err := guarded(func() (any, [][]byte, error) { return f(ctx, &of) })
		if err != nil {
			fail(w, err)
			return
		}
		writeParts(w, header, parts...)
	}
}

// guarded turns a panic of a decoder into an error.
func guarded(f func() (any, [][]byte, error)) (header any, parts [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be shown: %v", r)
		}
	}()
	return f()
}

// fail answers with an error of one line.
func fail(w http.ResponseWriter, err error) {
	webjson.Fail(w, http.StatusUnprocessableEntity, "%v", err)
}
