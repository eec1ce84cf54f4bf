package minimal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// A world is the environment of a program: the disk or the model.
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

// interpret executes a program with one command per line. It returns the program's output and a log
// of everything that the program read. Except for the command use, only the first byte of a file or
// artifact affects the output. Therefore many edits do not change it.
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
// The recipe expand copies all other lines.
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

// A jobWorld is the world of a program on disk. It accesses files through its job.
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

// A done value counts the logs of the programs that a run has executed.
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

// carryOut implements Cook for the recipes. It logs a program that succeeds, or that fails because
// of stop or halt. It does not log other failures, such as a bundle that has to wait for artifacts.
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

// A command wraps the recipe command with the options that trees set. It logs each execution.
type command struct {
	Command []string `toml:"command" doc:"the program and its arguments"`
	Tools   []string `toml:"tools" doc:"further files of the program"`
	Reads   []string `toml:"reads" doc:"files that the program reads"`
	Deps    string   `toml:"deps" doc:"source of the program's inputs"`
}

// builtinCommand returns the recipe command of package builtin.
var builtinCommand = func() recipe.Recipe {
	all := builtin.All()
	return all[slices.IndexFunc(all, func(r recipe.Recipe) bool { return r.Name == "command" })]
}()

// builtinCooker returns the cooker of the recipe command with the options of c.
func (c *command) builtinCooker() recipe.Cooker {
	cooker := builtinCommand.New()
	list := func(words []string) (list []any) {
		for _, word := range words {
			list = append(list, word)
		}
		return list
	}
	for key, value := range map[string]any{
		"command": list(c.Command), "tools": list(c.Tools), "reads": list(c.Reads), "deps": c.Deps,
	} {
		if err := recipeset.SetOption(cooker, key, value); err != nil {
			panic(err) // cannot fail, because the options have equal types
		}
	}
	return cooker
}

func (c *command) Outputs() []string { return c.builtinCooker().Outputs() }
func (c *command) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	note(ctx, commandLog(job.Path(), string(text)))
	return c.builtinCooker().Cook(ctx, job)
}

func commandLog(path, text string) string { return fmt.Sprintf("command %s %q", path, text) }

func recipes() []recipe.Recipe {
	logged := builtinCommand
	logged.New = func() recipe.Cooker { return &command{Deps: "declared"} }
	logged.Traits = func(c recipe.Cooker) recipe.Traits {
		return builtinCommand.Traits(c.(*command).builtinCooker())
	}
	return []recipe.Recipe{
		logged,
		{Name: "expand", Version: 1, Extensions: []string{".exp"}, New: func() recipe.Cooker { return &expander{} }},
		{Name: "run", Version: 1, Extensions: []string{".run"}, New: func() recipe.Cooker { return &runner{} }},
		{Name: "gather", Version: 1, Bundles: true, Extensions: []string{".gather"}, New: func() recipe.Cooker { return &gatherer{} }},
	}
}
