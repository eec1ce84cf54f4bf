package recipe

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
	"strings"

	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Job cooks one source once: a recipe reads files and writes outputs through it. It belongs to
// one goroutine, which may share work by Each.
type Job struct {
	recipe   Recipe
	env      jobenv.Env
	size     int64
	deps     []Dep
	warnings []string
}

// A Dependency is something besides the source that the result depends on. A recipe outside this
// module sets Path alone, which means the content of a file. The other fields describe what the
// methods of a Job record, such as the names in a directory. It has the fields
//
//	Kind     dependency.Kind // 0 for the content of a file
//	Path     string          // as Job.Read takes it
//	Pattern  string          // chooses names in a directory
//	Function string          // name and version of an Extract
//	Subject  string          // path that an Extract is about
type Dependency = dependency.Dependency

// A Dep is a dependency that a job has recorded: something that its recipe read or looked for. It
// has the fields
//
//	On    Dependency // with a path in the asset tree
//	Name  string     // the path as the recipe wrote it; a renamed directory keeps it
//	Found bool       // false if there was no such file or directory
type Dep = jobenv.Dep

func init() {
	jobenv.NewJob = func(r any, env jobenv.Env, size int64) any { return &Job{recipe: r.(Recipe), env: env, size: size} }
	jobenv.EnvOf = func(job any) *jobenv.Env { return &job.(*Job).env }
	jobenv.Recorded = func(job any) ([]Dep, []string) { return job.(*Job).recordedInputs() }
}

// Ext returns the extension of the source in lower case with its dot, "" if there is none. It is
// part of the action ID.
func (j *Job) Ext() string { return Ext(j.env.Path) }

// Ext returns the lower-case extension of a path, with its dot. A name whose only dot comes first
// has none.
func Ext(p string) string {
	name := path.Base(p)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return strings.ToLower(name[i:])
	}
	return ""
}

// Path returns the path of the source in the asset tree. It panics unless the recipe has UsesPath,
// because otherwise a renamed source would keep its old result.
func (j *Job) Path() string {
	if !j.recipe.UsesPath {
		panic("recipe " + j.recipe.Name + ": Job.Path without Recipe.UsesPath")
	}
	return j.env.Path
}

// Link returns the relative path, with slashes, by which output from refers to output to. Rules
// decide the names of outputs, and may have another recipe cook them further. Link panics unless
// the recipe has NamesOutputs, because a stored result would outlive a change of the name.
func (j *Job) Link(from, to int) string {
	if !j.recipe.NamesOutputs {
		panic("recipe " + j.recipe.Name + ": Job.Link without Recipe.NamesOutputs")
	}
	return pathname.Relative(path.Dir(j.env.Names[from]), j.env.Names[to])
}

// Size returns the source's size in bytes.
func (j *Job) Size() int64 { return j.size }

// Open opens the source for reading.
func (j *Job) Open() (fs.File, error) { return j.env.Open(j.env.Path) }

// Source reads the whole source.
func (j *Job) Source() ([]byte, error) {
	data, err := readRegular(j.Open())
	j.Hold("file contents", len(data))
	return data, err
}

// Hold records that the job has allocated memory of a kind, such as "decoded images", for
// profiles of memory. It counts as held until the job ends. After 64 kinds all others count as one.
func (j *Job) Hold(kind string, bytes int) {
	if j.env.Hold != nil && bytes > 0 {
		j.env.Hold(kind, int64(bytes))
	}
}

// Step names the present work of the recipe, such as "decode", in recordings and progress lines
// until end is called. Steps may nest. Names are few, short and the same for all sources; after 64
// names all others count as one. Only the goroutine of the job may call Step.
//
//	defer job.Step("decode")()
func (j *Job) Step(name string) (end func()) {
	if j.env.Step == nil {
		return noStep
	}
	return j.env.Step(name)
}

func noStep() {}

// Each calls do for each number below n, in the goroutine of the job and, while CPUs are idle, in
// others. The result must not depend on the order, so each call should write to a place of its own.
// do must not use the job. Pieces of 1 to 50 ms are worth the switch and keep other assets from
// waiting. Memory of a piece counts once for each CPU in Traits.Estimate.
//
// Each returns after the last call, with the error of the lowest number that failed. After a
// failure, or the end of ctx, no more calls begin.
func (j *Job) Each(ctx context.Context, n int, do func(i int) error) error {
	if j.env.Each != nil && n > 1 {
		return j.env.Each(ctx, n, do)
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

// OpenDep opens another file and records it as a dependency, also if it is absent: then the error
// is fs.ErrNotExist.
func (j *Job) OpenDep(name string) (fs.File, error) {
	at, err := dependency.OfFile(name).Resolve(j.env.Path)
	if err != nil {
		return nil, err
	}
	f, err := j.env.Open(at.Path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		j.recordDependency(name, at, err == nil)
	}
	return f, err
}

// Read reads another file; see OpenDep.
func (j *Job) Read(name string) ([]byte, error) {
	data, err := readRegular(j.OpenDep(name))
	j.Hold("file contents", len(data))
	return data, err
}

// ErrChanged is returned if an input changed while the recipe was reading it. The run then cooks
// the source again.
var ErrChanged = errors.New("changed while it was being read")

// Depend records a dependency without reading it, for recipes whose external program has read it.
// An absent file is no error.
func (j *Job) Depend(on Dependency) error {
	at, err := on.Resolve(j.env.Path)
	if err != nil {
		return err
	}
	switch on.Kind {
	case dependency.File, dependency.Presence:
		_, err = j.statDependency(on.Path, at)
	case dependency.Link:
		if j.env.IsLink == nil {
			return errors.New("symbolic links are not supported here")
		}
		var is bool // false is a dependency as well
		if is, err = j.env.IsLink(at.Path); err == nil {
			j.recordDependency(on.Path, at, is)
		}
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		_, err = j.listNames(on.Path, at)
	case dependency.Extract, dependency.Extracts, dependency.Artifacts, dependency.IDs:
		err = fmt.Errorf("dependency %s: only a recipe can read it", on)
	}
	return err
}

// statDependency records a file and reports whether it exists.
func (j *Job) statDependency(name string, at Dependency) (found bool, err error) {
	info, err := j.env.Stat(at.Path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%s: not a regular file", info.Name())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	j.recordDependency(name, at, err == nil)
	return err == nil, nil
}

// Exists reports whether another file exists, without reading it. Only the answer is a dependency:
// the source is cooked again when the file appears or goes, not when it is edited.
func (j *Job) Exists(name string) (bool, error) {
	at, err := Dependency{Kind: dependency.Presence, Path: name}.Resolve(j.env.Path)
	if err != nil {
		return false, err
	}
	return j.statDependency(name, at)
}

// Limits of the warnings of a job: lines, and bytes of a line.
const (
	maxWarnings = 20
	maxWarning  = 500
)

// Warn records a line about a fault of the source that does not prevent cooking. Each run that
// makes or restores the result reports it, and -strict makes it a failure. Equal faults belong in
// one line with their number.
func (j *Job) Warn(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > maxWarning {
		line = strings.ToValidUTF8(line[:maxWarning], "") + "..."
	}
	if len(j.warnings) < maxWarnings && !slices.Contains(j.warnings, line) {
		j.warnings = append(j.warnings, line)
	}
}

// Note reports a line about the machine or the run, not about the source. A run prints each line
// once, and results do not keep it.
func (j *Job) Note(format string, args ...any) {
	if j.env.Note != nil {
		j.env.Note(fmt.Sprintf(format, args...))
	}
}

// recordedInputs returns the dependencies, each once and sorted by name, and the lines of Warn.
func (j *Job) recordedInputs() ([]Dep, []string) {
	slices.SortFunc(j.deps, func(a, b Dep) int { return dependency.Compare(a.On.Named(a.Name), b.On.Named(b.Name)) })
	j.deps = slices.CompactFunc(j.deps, func(a, b Dep) bool { return a.On.Named(a.Name) == b.On.Named(b.Name) })
	return slices.Clone(j.deps), slices.Clone(j.warnings)
}

// recordDependency notes a dependency in the asset tree under the path that the recipe wrote.
func (j *Job) recordDependency(name string, at Dependency, found bool) {
	// The source itself is in the action's identity already.
	if at.Seen() != dependency.OfFile(j.env.Path) {
		j.deps = append(j.deps, Dep{On: at, Name: name, Found: found})
	}
}

// Outputs returns the number of outputs to write.
func (j *Job) Outputs() int { return len(j.env.Outputs) }

// Create opens the i-th output for writing.
func (j *Job) Create(i int) (*os.File, error) { return j.env.Create(i) }

// Previous opens the i-th output that the same recipe with the same options made of the source last
// time, verified byte by byte; nil if it is not available. The caller closes it. A recipe may copy
// unchanged parts from it to save work; the result must be the same without it, which [cook verify]
// proves.
//
// [cook verify]: https://github.com/assetcook/assetcook/blob/main/docs/verify.md
func (j *Job) Previous(i int) *os.File {
	if j.env.Previous == nil {
		return nil
	}
	return j.env.Previous(i)
}

// Write writes the whole i-th output.
func (j *Job) Write(i int, data []byte) error {
	f, err := j.Create(i)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// OutputFile returns the file name of the i-th output, for external programs.
func (j *Job) OutputFile(i int) string { return j.env.Outputs[i] }

// SourceFile returns the file name of the source, for external programs. It is outside the asset
// tree if another recipe made the source.
func (j *Job) SourceFile() string {
	if j.env.SourceFile != "" {
		return j.env.SourceFile
	}
	return filepath.Join(j.env.Assets, filepath.FromSlash(j.env.Path))
}

// Assets returns the directory of the asset tree, for external programs.
func (j *Job) Assets() string { return j.env.Assets }

// Scratch returns a directory for temporary files, empty at first and removed after the job.
func (j *Job) Scratch() (string, error) { return j.env.Scratch() }

func readRegular(f fs.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", info.Name())
	}
	// One byte more than expected, so that the end is seen without growing.
	buf := make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, buf)
	switch {
	case err == io.ErrUnexpectedEOF || err == io.EOF:
		return buf[:n], nil
	case err != nil:
		return nil, err
	}
	rest, err := io.ReadAll(f)
	return append(buf, rest...), err
}
