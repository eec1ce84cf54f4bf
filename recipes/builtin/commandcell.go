package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A cell is where a confined program runs.
type cell struct {
	assets   string   // the visible part of the asset directory, absolute; "" for all of it
	read     []string // files and directories besides that it may read
	write    []string // directories that it may write to
	declared []string // paths of the asset tree that it was given
	from     string   // the source's path
}

// checkSandbox checks the options about inputs of the program.
func (c *Command) checkSandbox() error {
	for _, name := range c.Reads {
		words, err := placeholders(name)
		if err != nil || slices.ContainsFunc(words, func(w string) bool { return w != "stem" }) {
			return &recipe.OptionError{Key: "reads", Got: strconv.Quote(name), Want: "names of files, with {stem} for the stem of the source, and {{ or }} for a brace"}
		}
		if filled, _ := fill(name, map[string]string{"stem": "x"}); filled == "" || strings.HasSuffix(filled, "/") || !doublestar.ValidatePattern(filled) {
			return &recipe.OptionError{Key: "reads", Got: strconv.Quote(name), Want: "names of files, or patterns such as \"lib/*.h\""}
		}
	}
	switch {
	case c.Deps != "trace":
	case !c.Sandbox || c.Daemons:
		return &recipe.OptionError{Key: "deps", Got: `"trace"`, Want: `"declared" where sandbox is false or daemons true: what such a program reads cannot be recorded`}
	case c.hasWord("depfile"):
		return &recipe.OptionError{Key: "deps", Got: `"trace"`, Want: `either "trace" or {depfile}`}
	}
	for _, name := range c.System {
		if !filepath.IsAbs(name) && name != "~" && !strings.HasPrefix(name, "~/") {
			return &recipe.OptionError{Key: "system", Got: strconv.Quote(name), Want: `absolute names of files and directories outside the asset directory, or such as "~/sdk"; files of the asset directory belong under reads or tools`}
		}
	}
	return nil
}

// enclose gives a call a cell with all that the program may see.
func (c *Command) enclose(p *call, job *recipe.Job) error {
	if err := noteOpen(job); err != nil {
		return err
	}
	base := p.scratch
	outputs := filepath.Join(base, "out")
	p.cell = &cell{from: job.Path(), declared: []string{job.Path()}}
	p.scratch = filepath.Join(base, "tmp")
	p.cell.write = []string{p.scratch, outputs}
	if c.Deps == "trace" {
		if err := confinable(); err != nil {
			return fmt.Errorf("deps = \"trace\": %w; declare what the program reads with reads or {depfile}", err)
		}
		p.trace = c.newTrace(p)
		if err := opens(job); err != nil {
			return err
		}
	} else if p.wantsDepfile {
		p.cell.read = append(p.cell.read, p.assets)
		p.shown = c.newTrace(p)
		p.shown.IfPossible = true
		if err := opens(job); err != nil {
			return err
		}
	} else {
		p.cell.assets = filepath.Join(base, "assets")
		p.cell.read = append(p.cell.read, p.cell.assets)
	}
	if p.made != "" && p.cell.assets == "" {
		p.cell.read = append(p.cell.read, p.made)
	}
	for _, folder := range append([]string{filepath.Join(p.cell.assets, filepath.FromSlash(path.Dir(job.Path())))}, p.cell.write...) {
		if filepath.IsAbs(folder) {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
		}
	}
	for i, file := range p.outputs {
		p.outputs[i] = filepath.Join(outputs, filepath.Base(file))
	}
	if p.cell.assets != "" {
		if err := p.cell.bring(job.Path(), job.Open); err != nil {
			return err
		}
	}
	if err := c.bringReads(p, job); err != nil {
		return err
	}
	return c.bringTools(p, base)
}

// bring puts a file of the asset tree into the cell: its own content, so that nothing it is
// edited to meanwhile is seen, under a date that says nothing.
func (c *cell) bring(name string, open func() (fs.File, error)) error {
	src, err := open()
	if err != nil {
		return err
	}
	defer src.Close()
	if info, err := src.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: a %s, not a file", pathname.Show(name), fileKind(info.Mode()))
	}
	file := filepath.Join(c.assets, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	dst, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if errors.Is(err, fs.ErrExist) {
		return nil // it was brought under another name
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(file, start, start)
}

// start is the date of all that a program reads.
var start = time.Unix(sourceDate, 0)

// staysHere reports whether the program may read more of this machine than itself and its libraries,
// so that no other machine can cook the source.
func (c *Command) staysHere() bool { return !c.Sandbox || c.Daemons || len(c.System) > 0 }

// isConfined reports whether the program can write only to its scratch directory, which may then have
// the same name in each run.
func (c *Command) isConfined() bool { return c.Sandbox && !c.Daemons && confinable() == nil }

// declareReads records the files of the option reads as dependencies.
func (c *Command) declareReads(job *recipe.Job) error { return c.bringReads(&call{}, job) }

// bringReads gives the program the files of the option reads.
func (c *Command) bringReads(p *call, job *recipe.Job) error {
	for _, name := range c.Reads {
		name, err := fill(name, map[string]string{"stem": stem(job.Path())})
		if err != nil {
			return fmt.Errorf("reads: %w", err)
		}
		names := []string{name}
		if strings.ContainsAny(name, `*?[{\`) {
			if names, err = job.Glob(name); err != nil {
				return fmt.Errorf("reads: %w", err)
			}
		}
		for _, name := range names {
			if err := p.bringRead(name, job); err != nil {
				return fmt.Errorf("reads: %w", err)
			}
		}
	}
	return nil
}

func (p *call) bringRead(name string, job *recipe.Job) error {
	at, err := recipe.Dependency{Path: name}.Resolve(job.Path())
	if err != nil {
		return err
	}
	if p.cell == nil {
		return job.Depend(recipe.Dependency{Path: name})
	}
	p.cell.declared = append(p.cell.declared, at.Path)
	if p.cell.assets == "" {
		return job.Depend(recipe.Dependency{Path: name})
	}
	err = p.cell.bring(at.Path, func() (fs.File, error) { return job.OpenDep(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// bringTools gives the program its own files and the tools. It links files of the asset directory
// instead of copying them.
func (c *Command) bringTools(p *call, base string) error {
	for i, tool := range c.tools() {
		file, err := program.Find(p.assets, tool)
		if err != nil {
			return err
		}
		rel, inside := pathname.Below(p.assets, file)
		if inside || i > 0 {
			p.cell.read = append(append(p.cell.read, file), partsBesides(file, p.assets, base)...)
		} else {
			p.cell.read = append(p.cell.read, readsOf(file, p.assets, base)...)
		}
		if !inside {
			continue
		}
		p.cell.declared = append(p.cell.declared, rel)
		if p.cell.assets == "" {
			continue
		}
		link := filepath.Join(p.cell.assets, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			return err
		}
		if err := os.Symlink(file, link); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if i == 0 {
			p.program = link
		}
	}
	for _, name := range c.System {
		if rest, ok := strings.CutPrefix(name, "~"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("system: %w", err)
			}
			name = filepath.Join(home, rest)
		}
		p.cell.read = append(p.cell.read, name)
	}
	return nil
}

// confinable says why this system cannot keep programs in their cells; nil if it can.
var confinable = sandbox.Supported

// noteOpen has the run say once that cells are open. It returns an error if that is for want of
// something that others have: then they must not be.
func noteOpen(job *recipe.Job) error {
	err := confinable()
	if errors.Is(err, sandbox.ErrUnsupported) {
		job.Note("%v: that they read what their rules declare is up to them", err)
		return nil
	}
	return err
}

// explainResult implements Traits.Explain.
func (c *Command) explainResult(context.Context, *recipe.Job) ([]string, error) {
	var why string
	switch err := confinable(); {
	case c.Daemons:
		why = "not confined: daemons is true"
	case !c.Sandbox:
		why = "not confined: sandbox is false"
	case err != nil:
		why = "sees its inputs, and is not kept from reading others: " + err.Error()
	case c.Deps == "trace":
		why = "confined: what it reads, lists and looks for in the asset directory is recorded"
	case c.hasWord("depfile"):
		why = "confined: reads the asset directory, because it lists its inputs in {depfile}, and the system"
	default:
		why = "confined: reads its source, the files of reads and tools, and the system"
	}
	return []string{why}, nil
}

// policy returns the rights of the program, nil for all. w gets the paths that it asks for.
func (p *call) policy(w *wanted) *sandbox.Policy {
	var policy *sandbox.Policy
	switch {
	case p.cell != nil && confinable() == nil:
		policy = &sandbox.Policy{Read: p.cell.read, Write: p.cell.write}
	case p.cell == nil && p.trace != nil:
		policy = p.openPolicy()
	default:
		return nil
	}
	if w != nil {
		policy.Watch, policy.Server = w.note, w.noteServer
	}
	switch {
	case p.trace != nil:
		policy.Trace = p.trace
	default:
		policy.Trace = p.shown
	}
	policy.Dir = p.folder()
	return policy
}

// directory is where the program runs.
func (p *call) folder() string {
	if p.cell == nil || p.cell.assets == "" {
		return p.assets
	}
	return p.cell.assets
}

// deliver moves the outputs of a confined program to the outputs of the job.
func (p *call) deliver(job *recipe.Job) error {
	if p.cell == nil {
		return nil
	}
	for i, file := range p.outputs {
		if err := busyfile.Rename(file, job.OutputFile(i)); err != nil {
			return err
		}
	}
	return nil
}

// inUserTerms removes names of the cell from output of a program.
func (p *call) inUserTerms(text string) string {
	if p.cell == nil {
		return text
	}
	pairs := []string{}
	for i, file := range p.outputs {
		pairs = append(pairs, file, "{"+outputWord(i, len(p.outputs))+"}")
	}
	pairs = append(pairs, p.scratch, "{scratch}")
	if p.cell.assets != "" {
		pairs = append(pairs, p.cell.assets+string(os.PathSeparator), "")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// failure returns the error of a failed program. For a confined program it names files that the
// program asked for and did not get. again runs the program once more, adds the files that it asks
// for, and reports whether it failed again.
func (p *call) failure(state *os.ProcessState, again func(*wanted) bool) error {
	err := errors.New(state.String())
	if p.cell == nil || len(p.cell.declared) == 0 || p.policy(nil) == nil {
		return err
	}
	wanted := &wanted{cell: p.cell, given: realName(p.cell.assets), tree: realName(p.assets)}
	if !again(wanted) {
		return err
	}
	if reason := wanted.String(); reason != "" {
		err = fmt.Errorf("%w; %s", err, reason)
	}
	return err
}

// wanted has existing files that a program asked for and did not get.
type wanted struct {
	cell        *cell
	given, tree string   // cell.assets and the asset directory, without links
	assets      []string // paths of the asset tree
	machine     []string
	servers     []string
}

// note notes that the program names a file. It is called before that happens, by one
// goroutine at a time.
func (w *wanted) note(file string) {
	if rel, ok := pathname.Below(w.tree, file); ok && w.given != "" {
		w.noteAsset(rel) // by its absolute name
	} else if rel, ok := pathname.Below(w.given, file); ok && w.given != "" {
		w.noteAsset(rel)
	} else if !w.mayRead(file) && !slices.Contains(w.machine, file) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			w.machine = append(w.machine, file)
		}
	}
}

func (w *wanted) mayRead(file string) bool {
	return sandbox.OfSystem(file) || slices.ContainsFunc(slices.Concat(w.cell.read, w.cell.write), func(folder string) bool {
		_, ok := pathname.Below(realName(folder), file)
		return ok
	})
}

// realName returns a file's name without links, or the name if it has none.
func realName(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil && file != "" {
		return real
	}
	return file
}

func (w *wanted) noteAsset(rel string) {
	if slices.Contains(w.cell.declared, rel) || slices.Contains(w.assets, rel) {
		return
	}
	info, err := os.Lstat(filepath.Join(w.tree, filepath.FromSlash(rel)))
	if err == nil && info.Mode().IsRegular() {
		w.assets = append(w.assets, rel)
	}
}

// String says what to do; "" if nothing was refused.
func (w *wanted) String() string {
	const shown = 3
	list := func(names []string) string {
		quoted := make([]string, min(shown, len(names)))
		for i := range quoted {
			quoted[i] = strconv.Quote(names[i])
		}
		return strings.Join(quoted, ", ")
	}
	if len(w.assets) > 0 {
		names := make([]string, len(w.assets))
		for i, at := range w.assets {
			names[i] = "/" + at
			if path.Dir(at) == path.Dir(w.cell.from) {
				names[i] = path.Base(at)
			}
		}
		more := ""
		if n := len(w.assets) - 1; n > 0 {
			more = " and " + human.Count(n, "other file")
		}
		return fmt.Sprintf("it asked for %s%s, which the rule does not declare: add reads = [%s]", pathname.Show(w.assets[0]), more, list(names))
	}
	if len(w.servers) > 0 {
		return w.serverAdvice()
	}
	if len(w.machine) > 0 {
		return fmt.Sprintf("it asked for %s, which it may not read: add system = [%s], or a directory above", pathname.Show(w.machine[0]), list(w.machine))
	}
	return ""
}
