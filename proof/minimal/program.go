package minimal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// A world is what a program sees, of the disk or of the model.
type world interface {
	read(name string) (text string, found bool, err error)
	has(name string) (bool, error)
	find(pattern string) ([]string, error)
	take(pattern string) ([]artifact, error)
}

// An artifact is a file that an asset was cooked to.
type artifact struct{ source, path, text string }

// errStop is how a program ends that says so.
var errStop = errors.New("the program says so")

// interpret carries out a program, a command a line, and returns what it writes and a log of
// all that it saw. Of files it writes the first bytes only, so that many edits leave what it
// writes as it was.
//
//	use NAME     expand: the first line of a file, a command for the next step
//	read NAME    the first byte of a file
//	has NAME     whether there is one
//	find PATTERN files that match
//	take PATTERN gather: the first bytes of artifacts
//	stop         expand: fails
//	halt         run, gather: fails
//	# ...        expand: drops the line
//
// Expand keeps other lines.
func interpret(name string, level int, text string, w world) (out, log string, err error) {
	log = fmt.Sprintf("%s %d %q", name, level, text)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, arg, _ := strings.Cut(line, " ")
		if name == "expand" && word != "use" && word != "stop" {
			if word != "#" {
				out += line + "\n"
			}
			continue
		}
		saw := any(nil)
		switch word {
		case "use", "read":
			text, found, err := w.read(arg)
			if err != nil {
				return "", log, err
			}
			saw = fmt.Sprint(found, text)
			if line, _, _ := strings.Cut(text, "\n"); name == "expand" {
				out += line + "\n"
			} else {
				out += fmt.Sprint(found, first(text), " ")
			}
		case "has":
			found, err := w.has(arg)
			if err != nil {
				return "", log, err
			}
			saw = found
			out += fmt.Sprint(found, " ")
		case "find":
			names, err := w.find(arg)
			if err != nil {
				return "", log, err
			}
			saw = names
			out += fmt.Sprint(names, " ")
		case "take":
			list, err := w.take(arg)
			if err != nil {
				return "", log, err
			}
			saw = list
			for _, a := range list {
				out += a.path + ":" + first(a.text) + " "
			}
		case "stop", "halt":
			return "", log, errStop
		}
		log += fmt.Sprintf("\n%q", saw)
	}
	return fmt.Sprint(out, level), log, nil
}

func first(text string) string { return text[:min(1, len(text))] }

// A jobWorld is what a recipe sees.
type jobWorld struct{ *recipe.Job }

func (w jobWorld) read(name string) (string, bool, error) {
	data, err := w.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

func (w jobWorld) has(name string) (bool, error) { return w.Exists(name) }

func (w jobWorld) find(pattern string) ([]string, error) { return w.Glob(pattern) }

func (w jobWorld) take(pattern string) (list []artifact, err error) {
	assets, err := w.Artifacts(pattern)
	for _, a := range assets {
		for _, o := range a.Outputs {
			data, err := w.ReadArtifact(o.Path)
			if err != nil {
				return nil, err
			}
			list = append(list, artifact{a.Source, o.Path, string(data)})
		}
	}
	return list, err
}

// A done holds the logs of the programs that a run has carried out.
type done struct {
	mu   sync.Mutex
	logs map[string]int
}

type doneKey struct{}

func note(ctx context.Context, log string) {
	d := ctx.Value(doneKey{}).(*done)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.logs[log]++
}

// carryOut is Cook of the recipes. A bundle that has to wait for others has done nothing yet.
func carryOut(ctx context.Context, job *recipe.Job, name string, level int) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	out, log, err := interpret(name, level, string(text), jobWorld{job})
	if err == nil || err == errStop {
		note(ctx, log)
	}
	if err != nil {
		return err
	}
	return job.Write(0, []byte(out))
}

type expander struct {
	Level int `toml:"level" doc:"written at the end"`
}

func (*expander) Outputs() []string { return []string{"{path}.run"} }
func (e *expander) Cook(ctx context.Context, job *recipe.Job) error {
	return carryOut(ctx, job, "expand", e.Level)
}

type runner struct {
	Level int `toml:"level" doc:"written at the end"`
}

func (*runner) Outputs() []string { return []string{"{path}.out"} }
func (e *runner) Cook(ctx context.Context, job *recipe.Job) error {
	return carryOut(ctx, job, "run", e.Level)
}

type gatherer struct{}

func (*gatherer) Outputs() []string { return []string{"{path}ed"} }
func (*gatherer) Cook(ctx context.Context, job *recipe.Job) error {
	return carryOut(ctx, job, "gather", 0)
}

// A command is the recipe of that name, counted.
type command builtin.Command

func (c *command) Outputs() []string { return (*builtin.Command)(c).Outputs() }
func (c *command) Tools() []string   { return (*builtin.Command)(c).Tools() }
func (c *command) Check() error      { return (*builtin.Command)(c).Check() }
func (c *command) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	note(ctx, commandLog(job.Path(), string(text)))
	return (*builtin.Command)(c).Cook(ctx, job)
}

func commandLog(path, text string) string { return fmt.Sprintf("command %s %q", path, text) }

func recipes() []recipe.Recipe {
	list := []recipe.Recipe{
		{Name: "expand", Version: 1, Extensions: []string{".exp"}, New: func() recipe.Cooker { return &expander{} }},
		{Name: "run", Version: 1, Extensions: []string{".run"}, New: func() recipe.Cooker { return &runner{} }},
		{Name: "gather", Version: 1, Bundles: true, Extensions: []string{".gather"}, New: func() recipe.Cooker { return &gatherer{} }},
	}
	for _, r := range builtin.All() {
		if r.Name == "command" {
			plain := r.New
			r.New = func() recipe.Cooker { return (*command)(plain().(*builtin.Command)) }
			list = append(list, r)
		}
	}
	return list
}
