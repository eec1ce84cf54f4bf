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

// A world is what a program can access: the disk or the model.
type world interface {
	read(name string) (text string, found bool, err error)
	has(name string) (bool, error)
	find(pattern string) ([]string, error)
	take(pattern string) ([]artifact, error)
}

// An artifact is an output file of an asset.
type artifact struct{ source, path, text string }

// errStop is the error of a program that executes stop or halt.
var errStop = errors.New("stopped by the program")

// interpret executes a program with one command per line. It returns the program's output and a
// log of everything that the program saw. Only the first byte of each file or artifact goes into
// the output, except for use, so that many edits do not change the output.
//
//	use NAME     expand: write the first line of a file, a command for the next step
//	read NAME    write the first byte of a file
//	has NAME     write whether a file exists
//	find PATTERN write the names of the files that match
//	take PATTERN gather: write the first bytes of artifacts
//	stop         expand: fail
//	halt         run, gather: fail
//	# ...        expand: drop the line
//
// Expand copies all other lines.
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

// A jobWorld gives a program access to the disk through its job.
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

// A done collects the logs of the programs that a run has executed, with counts.
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

// carryOut implements Cook for the recipes. It does not log a program that fails for another
// reason than stop or halt, such as a bundle that has to wait for artifacts.
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

// A command is the recipe command that logs its executions.
type command builtin.Command

func (c *command) Outputs() []string { return (*builtin.Command)(c).Outputs() }
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
			plain, traits := r.New, r.Traits
			r.Traits = func(c recipe.Cooker) recipe.Traits { return traits((*builtin.Command)(c.(*command))) }
			r.New = func() recipe.Cooker { return (*command)(plain().(*builtin.Command)) }
			list = append(list, r)
		}
	}
	return list
}
