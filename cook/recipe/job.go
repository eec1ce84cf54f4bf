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

// A Job cooks one source. A recipe reads files and writes outputs through it. Only one goroutine
// may use a Job; Each can distribute work over others.
type Job struct {
	recipe   Recipe
	env      jobenv.Env
	size     int64
	deps     []Dep
	warnings []string
}

// A Dependency is an input of the result besides the source. Recipes outside of this module set
// only Path, to declare a dependency on the content of a file. The other fields describe
// dependencies that the methods of Job record, such as the names in a directory. A Dependency has
// the fields
//
//	Kind     dependency.Kind // 0 for the content of a file
//	Path     string          // path in the form of Job.Read
//	Pattern  string          // pattern of names in a directory
//	Function string          // name and version of an Extract
//	Subject  string          // path that an Extract is about
type Dependency = dependency.Dependency

// A Dep is a recorded dependency, which the recipe read or looked for. It has the fields
//
//	On    Dependency // dependency with a path in the asset tree
//	Name  string     // path as the recipe wrote it; unchanged if the directory is renamed
//	Found bool       // whether the file or directory exists
type Dep = jobenv.Dep

func init() {
	jobenv.NewJob = func(r any, env jobenv.Env, size int64) any { return &Job{recipe: r.(Recipe), env: env, size: size} }
	jobenv.EnvOf = func(job any) *jobenv.Env { return &job.(*Job).env }
	jobenv.Recorded = func(job any) ([]Dep, []string) { return job.(*Job).recordedInputs() }
}

// Ext returns the source's extension in lower case with its dot, or "". It is part of the action
// ID.
func (j *Job) Ext() string { return Ext(j.env.Path) }

// Ext returns the lower-case extension of a path with its dot. A name whose only dot comes first
// has no extension.
func Ext(p string) string {
	name := path.Base(p)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return strings.ToLower(name[i:])
	}
	return ""
}

// Path returns the source's path in the asset tree. It panics unless the recipe sets UsesPath;
// without UsesPath, a renamed source would keep its old result.
func (j *Job) Path() string {
	if !j.recipe.UsesPath {
		panic("recipe " + j.recipe.Name + ": Job.Path without Recipe.UsesPath")
	}
	return j.env.Path
}

// Link returns the relative path, with slashes, that leads from one output to another. The
// arguments are output numbers. Rules may set the names of outputs, or have another recipe cook
// them further, so the path is not constant. Link panics unless the recipe sets NamesOutputs;
// without NamesOutputs, a stored result could contain an old name.
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

// Hold records, for memory profiles, that the job has allocated memory of a kind, such as "decoded
// images". The memory counts until the job ends. After the first 64 kinds, all others count as one
// kind.
func (j *Job) Hold(kind string, bytes int) {
	if j.env.Hold != nil && bytes > 0 {
		j.env.Hold(kind, int64(bytes))
	}
}

// Step names the current work of the recipe, such as "decode", in recordings and progress lines.
// The step lasts until the returned function is called. Steps may nest. Use few short names, and
// the same names for all sources; after the first 64 names, all others count as one. Only the
// goroutine of the job may call Step.
//
//	defer job.Step("decode")()
func (j *Job) Step(name string) (end func()) {
	if j.env.Step == nil {
		return noStep
	}
	return j.env.Step(name)
}

func noStep() {}

// Each calls do for each number below n. It uses the goroutine of the job and, while CPUs are idle,
// other goroutines. The result must not depend on the order of the calls, so each call should write
// to its own location. do must not use the job.
//
// Calls should take 1 to 50 ms: longer than a goroutine switch, but short enough that other assets
// need not wait. Traits.Estimate must count the memory of a call once for each CPU.
//
// Each returns after the last call, with the error of the lowest failed number. After an error, or
// when ctx is done, no more calls begin.
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

// OpenDep opens another file and records it as a dependency. If the file does not exist, the error
// is fs.ErrNotExist, and its absence is recorded.
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

// Read reads another file and records it as a dependency, like OpenDep.
func (j *Job) Read(name string) ([]byte, error) {
	data, err := readRegular(j.OpenDep(name))
	j.Hold("file contents", len(data))
	return data, err
}

// ErrChanged is returned if an input changed while the recipe read it. The run then cooks the
// source again.
var ErrChanged = errors.New("the file changed while it was being read")

// Depend records a dependency without reading it, for recipes whose external program reads it. A
// missing file is not an error.
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
			return errors.New("this job does not support symbolic links")
		}
		var is bool // whether the path is a symbolic link; recorded in either case
		if is, err = j.env.IsLink(at.Path); err == nil {
			j.recordDependency(on.Path, at, is)
		}
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		_, err = j.listNames(on.Path, at)
	case dependency.Extract, dependency.Extracts, dependency.Artifacts, dependency.IDs, dependency.Name:
		err = fmt.Errorf("dependency %s: only a recipe can read it", on)
	}
	return err
}

func (j *Job) statDependency(name string, at Dependency) (found bool, err error) {
	info, err := j.env.Stat(at.Path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is not a regular file", info.Name())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	j.recordDependency(name, at, err == nil)
	return err == nil, nil
}

// Exists reports whether another file exists. Only the existence is a dependency: the source is
// cooked again when the file is created or removed, but not when it is edited.
func (j *Job) Exists(name string) (bool, error) {
	at, err := Dependency{Kind: dependency.Presence, Path: name}.Resolve(j.env.Path)
	if err != nil {
		return false, err
	}
	return j.statDependency(name, at)
}

// These limits apply to the warnings of a job: the number of lines, and the bytes of a line.
const (
	maxWarnings = 20
	maxWarning  = 500
)

// Warn records one line about a fault of the source that does not prevent cooking. Each run that
// cooks or restores the result reports the warning. With -strict, the asset fails. Combine repeated
// faults into one line with their number.
func (j *Job) Warn(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > maxWarning {
		line = strings.ToValidUTF8(line[:maxWarning], "") + "..."
	}
	if len(j.warnings) < maxWarnings && !slices.Contains(j.warnings, line) {
		j.warnings = append(j.warnings, line)
	}
}

// Note reports one line about the machine or the run rather than the source. A run prints each
// distinct line once, and does not store it with the result.
func (j *Job) Note(format string, args ...any) {
	if j.env.Note != nil {
		j.env.Note(fmt.Sprintf(format, args...))
	}
}

// recordedInputs returns the distinct dependencies, sorted by name, and the warnings.
func (j *Job) recordedInputs() ([]Dep, []string) {
	slices.SortFunc(j.deps, func(a, b Dep) int { return dependency.Compare(a.On.Named(a.Name), b.On.Named(b.Name)) })
	j.deps = slices.CompactFunc(j.deps, func(a, b Dep) bool { return a.On.Named(a.Name) == b.On.Named(b.Name) })
	return slices.Clone(j.deps), slices.Clone(j.warnings)
}

// recordDependency records a dependency in the asset tree under the path that the recipe wrote.
func (j *Job) recordDependency(name string, at Dependency, found bool) {
	// The source is already part of the action ID.
	if at.Seen() != dependency.OfFile(j.env.Path) {
		j.deps = append(j.deps, Dep{On: at, Name: name, Found: found})
	}
}

// Outputs returns the number of outputs to write.
func (j *Job) Outputs() int { return len(j.env.Outputs) }

// Create opens output i for writing.
func (j *Job) Create(i int) (*os.File, error) { return j.env.Create(i) }

// Previous opens output i of the last result for this source, recipe and options. It has verified
// the whole file. Previous returns nil if there is no such output. The caller must close the file.
//
// A recipe may copy unchanged parts to save work, but must write the same bytes as without them.
// [cook verify] checks this.
//
// [cook verify]: https://github.com/assetcook/assetcook/blob/main/docs/verify.md
func (j *Job) Previous(i int) *os.File {
	if j.env.Previous == nil {
		return nil
	}
	return j.env.Previous(i)
}

// Write writes data as the content of output i.
func (j *Job) Write(i int, data []byte) error {
	if j.env.Write != nil {
		return j.env.Write(i, data)
	}
	return jobenv.WriteByCreate(j.env.Create, i, data)
}

// OutputFile returns the file name of output i, for external programs.
func (j *Job) OutputFile(i int) string {
	if j.env.Named != nil {
		j.env.Named(i)
	}
	return j.env.Outputs[i]
}

// SourceFile returns the file name of the source, for external programs. If another recipe produced
// the source, the file is outside of the asset tree.
func (j *Job) SourceFile() string {
	if j.env.SourceFile != "" {
		return j.env.SourceFile
	}
	return filepath.Join(j.env.Assets, filepath.FromSlash(j.env.Path))
}

// Assets returns the directory of the asset tree, for external programs.
func (j *Job) Assets() string { return j.env.Assets }

// Scratch returns an empty directory for temporary files. It is removed after the job.
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
		return nil, fmt.Errorf("%s is not a regular file", info.Name())
	}
	// An extra byte makes the last read reach the end without growing the buffer.
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
