package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/internal/child"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/webjson"
)

// A question names an asset.
type question struct {
	Path execute.Path `json:"path"`
}

var errNoProgram = errors.New("the viewer was not told which program cooks this project")

// longestAnswer is the most bytes that are read of an answer of the program.
const longestAnswer = 4 << 20

// why answers with the explanations of an asset, one for each target.
func (p *project) why(w http.ResponseWriter, req *http.Request) {
	var q question
	if !webjson.Read(w, req, &q) {
		return
	}
	text, said, code, err := p.ask(req.Context(), "why", "-json", filepath.Join(p.assets.Name(), filepath.FromSlash(string(q.Path))))
	if err == nil && code != 0 {
		err = errors.New(strings.TrimSpace(said))
	}
	if err != nil {
		fail(w, err)
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

// A cookedAgain is how cooking an asset again went.
type cookedAgain struct {
	Code int    `json:"code"`
	Text string `json:"text"`
}

// cook cooks an asset again, changed or not, also if the page goes away meanwhile.
func (p *project) cook(w http.ResponseWriter, req *http.Request) {
	var q question
	if !webjson.Read(w, req, &q) {
		return
	}
	if _, err := p.assets.Stat(string(q.Path)); err != nil {
		fail(w, fmt.Errorf("%s: %w", pathname.Show(string(q.Path)), errNoAsset))
		return
	}
	out, said, code, err := p.ask(context.WithoutCancel(req.Context()), "", "-a", "-v", "-wait", "/"+glob.EscapeWord(string(q.Path)))
	if err != nil {
		fail(w, err)
		return
	}
	webjson.Write(w, cookedAgain{code, string(out) + said})
}

// ask runs the program. An exit code is no error.
func (p *project) ask(ctx context.Context, verb string, args ...string) (out []byte, said string, code int, err error) {
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
