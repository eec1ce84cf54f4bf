// Package inspect implements the assets tab of the viewer: a table of all assets of a project with
// the reasons for each, the report of package overview, and every source next to its artifacts:
// textures, sound, meshes, fonts, text and bytes.
//
//	tab, err := inspect.Tab(inspect.Options{Dir: "assets", Program: "cook"})
//	view.New(view.Sources{Tabs: []view.Tab{tab}, Token: view.NewToken()})
//
// The tab reads the index and the history without taking a lock or changing anything. To explain an
// asset or to cook it again, which needs the recipes of the project, it starts the program that
// cooks the project.
//
// Every visitor of the page sees the names of assets. Only requests with the token, which must use
// POST, get the content of files. The tab opens only files in the asset directory, and files in the
// output directory that the index lists.
package inspect

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/child"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/view"
)

//go:embed tab
var embedded embed.FS

// Options describe the project to show.
type Options struct {
	Dir string // directory of the source assets
	Out string // output directory; "" is the default of a cook

	// Program is the program that cooks the project and explains assets. It must accept the flags
	// of the command cook; it gets Flags in addition to -dir and -out. If it is "", the tab can
	// neither cook nor explain assets.
	Program string
	Flags   []string

	// Recipes prepare sources for comparison with textures, and determine the roles of textures.
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
		panic(err) // cannot fail, because the directory is embedded
	}
	p := &project{Options: o, assets: assets, out: out, judge: likeness.NewJudge(assets, set), turn: make(chan struct{}, 2)}
	p.table.out = out
	return view.Tab{ID: "assets", Title: "Assets", Files: files, API: p.apiRoutes()}, nil
}

// A project answers the requests of the tab.
type project struct {
	Options
	assets *confine.Dir
	out    string // absolute name of the output directory
	judge  *likeness.Judge
	table  table
	losses losses

	reports reportCache

	turn chan struct{} // limits concurrent decoding, which takes much memory
}

func (p *project) apiRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rows", p.answerRows)
	mux.HandleFunc("GET /asset", p.answerAsset)
	mux.HandleFunc("GET /report", p.answerReport)
	mux.HandleFunc("GET /report.js", answerText("text/javascript", overview.Script()))
	mux.HandleFunc("GET /report.css", answerText("text/css", overview.Style()))
	mux.HandleFunc("POST /why", p.answerWhy)
	mux.HandleFunc("POST /cook", p.answerCook)
	mux.HandleFunc("POST /losses", p.answerLosses)
	mux.HandleFunc("POST /bytes", p.answerBytes)
	mux.HandleFunc("POST /texture", p.decoding(p.answerTexture))
	mux.HandleFunc("POST /likeness", p.decoding(p.answerLikeness))
	mux.HandleFunc("POST /picture", p.decoding(p.answerPicture))
	mux.HandleFunc("POST /mesh", p.decoding(p.answerMesh))
	mux.HandleFunc("POST /sound", p.decoding(p.answerSound))
	return mux
}

// decoding returns a handler that calls f, which reads a file. Only a few such calls run at a time,
// because each may take as much memory as the pixels of its file.
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
		header, parts, err := recoverPanic(func() (any, [][]byte, error) { return f(ctx, &of) })
		if err != nil {
			answerError(w, err)
			return
		}
		writeParts(w, header, parts...)
	}
}

// recoverPanic turns a panic of a decoder into an error.
func recoverPanic(f func() (any, [][]byte, error)) (header any, parts [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be shown: %v", r)
		}
	}()
	return f()
}

// answerError responds with an error of one line.
func answerError(w http.ResponseWriter, err error) {
	webjson.Fail(w, http.StatusUnprocessableEntity, "%v", err)
}

// writeParts responds with a header and the bytes that belong to it, in the format that parts.js
// reads: the length of the header's JSON as 32 bits, little endian; the JSON, padded with spaces so
// that the bytes begin at a multiple of 8; the bytes.
func writeParts(w http.ResponseWriter, header any, parts ...[]byte) {
	text, err := json.Marshal(header)
	if err != nil {
		answerError(w, err)
		return
	}
	for (4+len(text))%8 != 0 {
		text = append(text, ' ')
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	for _, part := range slices.Concat([][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text}, parts) {
		if _, err := w.Write(part); err != nil {
			return // the page was closed
		}
	}
}

// A question is a request about one asset.
type question struct {
	Path execute.Path `json:"path"`
}

var errNoProgram = errors.New("the viewer does not know the cook program of this project; start the viewer with cook view")

// longestAnswer limits the number of bytes read from the program.
const longestAnswer = 4 << 20

// answerWhy responds with the explanations of an asset, one for each target.
func (p *project) answerWhy(w http.ResponseWriter, req *http.Request) {
	var q question
	if !webjson.Read(w, req, &q) {
		return
	}
	text, said, code, err := p.askProgram(req.Context(), "why", "-json", filepath.Join(p.assets.Name(), filepath.FromSlash(string(q.Path))))
	if err == nil && code != 0 {
		err = errors.New(strings.TrimSpace(said))
	}
	if err != nil {
		answerError(w, err)
		return
	}
	explanations := []json.RawMessage{}
	for line := range bytes.Lines(text) {
		if json.Valid(line) {
			explanations = append(explanations, json.RawMessage(bytes.TrimSpace(line)))
		}
	}
	webjson.Write(w, explanations)
}

// A cookAnswer is the result of cooking an asset again.
type cookAnswer struct {
	Code int    `json:"code"`
	Text string `json:"text"`
}

// answerCook cooks an asset again, even if it is unchanged. It finishes even if the page is closed
// meanwhile.
func (p *project) answerCook(w http.ResponseWriter, req *http.Request) {
	var q question
	if !webjson.Read(w, req, &q) {
		return
	}
	if _, err := p.assets.Stat(string(q.Path)); err != nil {
		answerError(w, fmt.Errorf("%s: %w", pathname.Show(string(q.Path)), errNoAsset))
		return
	}
	out, said, code, err := p.askProgram(context.WithoutCancel(req.Context()), "", "-a", "-v", "-wait", "/"+glob.EscapeWord(string(q.Path)))
	if err != nil {
		answerError(w, err)
		return
	}
	webjson.Write(w, cookAnswer{code, string(out) + said})
}

// askProgram runs the program. A nonzero exit code is not an error.
func (p *project) askProgram(ctx context.Context, verb string, args ...string) (out []byte, said string, code int, err error) {
	if p.Program == "" {
		return nil, "", 0, errNoProgram
	}
	var all []string
	if verb != "" {
		all = append(all, verb)
	}
	all = append(append(all, "-dir", p.Dir, "-out", p.out), p.Flags...)
	cmd := exec.CommandContext(ctx, p.Program, append(all, args...)...)
	cmd.WaitDelay = 10 * time.Second
	stdout, stderr := &child.Head{Most: longestAnswer}, &child.Head{Most: longestAnswer}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stdout.Bytes(), stderr.String(), exit.ExitCode(), nil
	}
	return stdout.Bytes(), stderr.String(), 0, err
}
