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
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// A cell describes the files that a confined program can access.
type cell struct {
	assets   string   // absolute path of the visible part of the asset directory; "" if all of it is visible
	read     []string // other files and directories that the program may read
	write    []string // directories that the program may write to
	declared []string // paths in the asset tree that the program can see
	from     string
}

// checkSandbox checks the options that concern the inputs of the program.
func (c *commandOptions) checkSandbox() error {
	for _, name := range c.Reads {
		words, err := placeholders(name)
		if err != nil || slices.ContainsFunc(words, func(w string) bool { return w != "stem" }) {
			return &recipe.OptionError{Key: "reads", Got: strconv.Quote(name), Want: "names of files, with {stem} for the stem of the source, and {{ or }} for a brace"}
		}
		if filled, _ := fillWords(name, map[string]string{"stem": "x"}); filled == "" || strings.HasSuffix(filled, "/") || !doublestar.ValidatePattern(filled) {
			return &recipe.OptionError{Key: "reads", Got: strconv.Quote(name), Want: "names of files, or patterns such as \"lib/*.h\""}
		}
	}
	switch {
	case c.Deps != "trace":
	case !c.Sandbox || c.Daemons:
		return &recipe.OptionError{Key: "deps", Got: `"trace"`, Want: `"declared" with sandbox = false or daemons = true, because the reads of such a program cannot be recorded`}
	case c.usesWord("depfile"):
		return &recipe.OptionError{Key: "deps", Got: `"trace"`, Want: `either "trace" or {depfile}, not both`}
	}
	for _, name := range c.System {
		if !filepath.IsAbs(name) && name != "~" && !strings.HasPrefix(name, "~/") {
			return &recipe.OptionError{Key: "system", Got: strconv.Quote(name), Want: `absolute paths of files and directories outside the asset directory, or paths such as "~/sdk"; list files of the asset directory in reads or tools`}
		}
	}
	return nil
}

// enclose gives a call a cell with everything that the program may access.
func (c *commandOptions) enclose(p *call, job *recipe.Job) error {
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
		if err := openSource(job); err != nil {
			return err
		}
	} else if p.wantsDepfile {
		p.cell.read = append(p.cell.read, p.assets)
		p.shown = c.newTrace(p)
		p.shown.IfPossible = true
		if err := openSource(job); err != nil {
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

// bring copies a file of the asset tree into the cell. So edits during the run do not affect the
// program. All copies get the same modification time.
func (c *cell) bring(name string, open func() (fs.File, error)) error {
	src, err := open()
	if err != nil {
		return err
	}
	defer src.Close()
	if info, err := src.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a %s, not a file; name a file", pathname.Show(name), fileKind(info.Mode()))
	}
	file := filepath.Join(c.assets, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	dst, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if errors.Is(err, fs.ErrExist) {
		return nil // the file was already copied under another name
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

// start is the modification time of all files that a program reads.
var start = time.Unix(sourceDate, 0)

// staysHere reports whether the program may read files of this machine other than itself and its
// libraries. If so, no other machine can cook the source.
func (c *commandOptions) staysHere() bool { return !c.Sandbox || c.Daemons || len(c.System) > 0 }

// isConfined reports whether the program can write only to its scratch directory. If so, this
// directory may have the same name in each run.
func (c *commandOptions) isConfined() bool { return c.Sandbox && !c.Daemons && confinable() == nil }

// declareReads records the files of option reads as dependencies.
func (c *commandOptions) declareReads(job *recipe.Job) error { return c.bringReads(&call{}, job) }

// bringReads gives the program access to the files of option reads.
func (c *commandOptions) bringReads(p *call, job *recipe.Job) error {
	for _, name := range c.Reads {
		name, err := fillWords(name, map[string]string{"stem": stem(job.Path())})
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

// bringTools gives the program access to its own files and the tools. It links files of the
// asset directory instead of copying them.
func (c *commandOptions) bringTools(p *call, base string) error {
	for i, tool := range c.programFiles() {
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

// confinable returns the reason why this system cannot confine programs, or nil.
var confinable = sandbox.Supported

// noteOpen adds a note to the run that programs are not confined. It returns an error on systems
// that usually can confine programs, because there they must not run unconfined.
func noteOpen(job *recipe.Job) error {
	err := confinable()
	if errors.Is(err, sandbox.ErrUnsupported) {
		job.Note("%v, so programs can read files that their rules do not declare", err)
		return nil
	}
	return err
}

// explainResult implements Traits.Explain.
func (c *commandOptions) explainResult(context.Context, *recipe.Job) ([]string, error) {
	var why string
	switch err := confinable(); {
	case c.Daemons:
		why = "not confined: daemons is true"
	case !c.Sandbox:
		why = "not confined: sandbox is false"
	case err != nil:
		why = "not confined: " + err.Error()
	case c.Deps == "trace":
		why = "confined: all reads, listings and look-ups in the asset directory are recorded"
	case c.usesWord("depfile"):
		why = "confined: may read the asset directory, because a {depfile} lists the inputs, and the system"
	default:
		why = "confined: may read its source, the files of reads and tools, and the system"
	}
	return []string{why}, nil
}

// policy returns the rights of the program. nil means all rights. If w is not nil, it receives the
// paths that the program accesses.
func (p *call) policy(w *refusals) *sandbox.Policy {
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
		policy.Watch, policy.Server = w.noteFile, w.noteServer
	}
	switch {
	case p.trace != nil:
		policy.Trace = p.trace
	default:
		policy.Trace = p.shown
	}
	policy.Dir = p.workingDirectory()
	return policy
}

// workingDirectory returns the program's working directory.
func (p *call) workingDirectory() string {
	if p.cell == nil || p.cell.assets == "" {
		return p.assets
	}
	return p.cell.assets
}

// deliverOutputs moves the outputs of a confined program to the outputs of the job.
func (p *call) deliverOutputs(job *recipe.Job) error {
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

// inUserTerms removes the cell's paths from the output of a program.
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

// readsOf returns the files and directories that a program outside of the asset directory needs.
func readsOf(file, assets, scratch string) []string {
	return append(programDirectories(file, assets, scratch), partsBesides(file, assets, scratch)...)
}

func programDirectories(file, assets, scratch string) []string {
	home, _ := os.UserHomeDir() // home is "" if unknown, and then has no effect
	return sandbox.Program(file, home, assets, scratch)
}

// partsBesides returns the files and directories that an executable file needs: its interpreter,
// and the libraries of both. It does not return the file itself.
func partsBesides(file, assets, scratch string) []string {
	var reads []string
	for range 5 { // an interpreter can be a script, up to this depth
		parts := programParts(file)
		reads = append(reads, slices.DeleteFunc(slices.Clone(parts.Libraries), sandbox.OfSystem)...)
		interpreter, err := program.Find(assets, parts.Interpreter)
		if parts.Interpreter == "" || err != nil {
			break
		}
		file = interpreter
		reads = append(append(reads, file), programDirectories(file, assets, scratch)...)
	}
	return reads
}

// A fileStamp describes the state of a file at some time.
type fileStamp struct {
	file     string
	size     int64
	modified time.Time
}

var (
	machine    = sync.OnceValue(program.ThisMachine)
	knownParts sync.Map // caches program.Parts by fileStamp
)

// programParts returns the files that a program consists of, or nil if they cannot be found.
func programParts(file string) program.Parts {
	info, err := os.Stat(file)
	if err != nil {
		return program.Parts{}
	}
	stamp := fileStamp{file, info.Size(), info.ModTime()}
	if known, ok := knownParts.Load(stamp); ok {
		return known.(program.Parts)
	}
	parts, err := program.Of(file, machine)
	if err == nil {
		knownParts.Store(stamp, parts)
	}
	return parts
}

// explainNotStarted returns an error for a script whose interpreter is missing, and otherwise the
// given error.
func explainNotStarted(file, folder string, err error) error {
	interpreter := programParts(file).Interpreter
	if !errors.Is(err, fs.ErrNotExist) || interpreter == "" {
		return err
	}
	at := interpreter
	if !filepath.IsAbs(at) {
		at = filepath.Join(folder, at)
	}
	if _, found := os.Stat(at); found == nil {
		return err
	}
	return fmt.Errorf("the first line of the script asks for %s, which does not exist; install that program, or change the line", pathname.Show(interpreter))
}
