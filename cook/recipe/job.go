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
// one goroutine, which may distribute work with Each.
type Job struct {
	recipe   Recipe
	env      jobenv.Env
	size     int64
	deps     []Dep
	warnings []string
}

// A Dependency is something besides the source that the result depends on. Recipes outside this
// module set only Path, which declares a dependency on the content of a file. The other fields
// describe dependencies that the methods of a Job record, such as the names in a directory. A
// Dependency has the fields
//
//	Kind     dependency.Kind // 0 for the content of a file
//	Path     string          // path as Job.Read takes it
//	Pattern  string          // pattern of names in a directory
//	Function string          // name and version of an Extract
//	Subject  string          // path that an Extract is about
type Dependency = dependency.Dependency

// A Dep is a dependency that a job has recorded: something that its recipe read or looked for. It
// has the fields
//
//	On    Dependency // dependency with a path in the asset tree
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

// Ext returns the lower-case extension of a path, with its dot. A name whose only dot is its first
// character has no extension.
func Ext(p string) string {
	name := path.Base(p)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return strings.ToLower(name[i:])
	}
	return ""
}

// Path returns the path of the source in the asset tree. It panics unless the recipe sets UsesPath;
// otherwise a renamed source would keep its old result.
func (j *Job) Path() string {
	if !j.recipe.UsesPath {
		panic("recipe " + j.recipe.Name + ": Job.Path without Recipe.UsesPath")
	}
	return j.env.Path
}

// Link returns the relative path, with slashes, by which one output (index from) refers to another
// (index to). The path is not fixed: rules set the names of outputs, and may have another recipe
// cook the outputs further. Link panics unless the recipe sets NamesOutputs; otherwise a
// stored result would be reused after the name has changed.
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

// Hold records that the job has allocated memory of a kind, such as "decoded images", for memory
// profiles. The memory counts as held until the job ends. After the first 64 kinds, all others
// count as one kind.
func (j *Job) Hold(kind string, bytes int) {
	if j.env.Hold != nil && bytes > 0 {
		j.env.Hold(kind, int64(bytes))
	}
}

// Step names the current work of the recipe, such as "decode", in recordings and progress lines.
// The step lasts until the returned function is called. Steps may nest. Use few and short names
// that are the same for all sources; after the first 64 names, all others count as one. Only the
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

// Each calls do for each number below n, in the goroutine of the job and, while CPUs are idle, in
// other goroutines. The result must not depend on the order of the calls, so each call should write
// to its own location. do must not use the job. Calls that take 1 to 50 ms are long enough to be
// worth a goroutine switch and short enough that other assets need not wait. Traits.Estimate must
// count the memory of a call once for each CPU.
//
// Each returns after the last call, with the error of the lowest number that failed. After a
// failure, or when ctx is done, no more calls begin.
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
// is fs.ErrNotExist, and the absence is recorded.
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

// ErrChanged is returned if an input changed while the recipe was reading it. The run then cooks
// the source again.
var ErrChanged = errors.New("the file changed while it was being read")

// Depend records a dependency without reading it, for recipes whose external program has read it.
// An absent file is not an error.
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
		var is bool // recorded as a dependency whether true or false
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

// statDependency records a file and reports whether it exists.
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

// Exists reports whether another file exists, without reading it. Only its existence is a
// dependency: the source is cooked again when the file is created or removed, not when it is
// edited.
func (j *Job) Exists(name string) (bool, error) {
	at, err := Dependency{Kind: dependency.Presence, Path: name}.Resolve(j.env.Path)
	if err != nil {
		return false, err
	}
	return j.statDependency(name, at)
}

// Limits for the warnings of a job: the number of lines, and the bytes of a line.
const (
	maxWarnings = 20
	maxWarning  = 500
)

// Warn records a line about a fault of the source that does not prevent cooking. Each run that
// cooks or restores the result reports the warning, and with -strict it is a failure. Combine
// repeated faults into one line that states how many there are.
func (j *Job) Warn(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > maxWarning {
		line = strings.ToValidUTF8(line[:maxWarning], "") + "..."
	}
	if len(j.warnings) < maxWarnings && !slices.Contains(j.warnings, line) {
		j.warnings = append(j.warnings, line)
	}
}

// Note reports a line about the machine or the run, not about the source. A run prints each
// distinct line once; the line is not stored with the result.
func (j *Job) Note(format string, args ...any) {
	if j.env.Note != nil {
		j.env.Note(fmt.Sprintf(format, args...))
	}
}

// recordedInputs returns the dependencies, each once and sorted by name, and the lines passed to
// Warn.
func (j *Job) recordedInputs() ([]Dep, []string) {
	slices.SortFunc(j.deps, func(a, b Dep) int { return dependency.Compare(a.On.Named(a.Name), b.On.Named(b.Name)) })
	j.deps = slices.CompactFunc(j.deps, func(a, b Dep) bool { return a.On.Named(a.Name) == b.On.Named(b.Name) })
	return slices.Clone(j.deps), slices.Clone(j.warnings)
}

// recordDependency records a dependency in the asset tree under the path that the recipe wrote.
func (j *Job) recordDependency(name string, at Dependency, found bool) {
	// The source itself is already part of the action ID.
	if at.Seen() != dependency.OfFile(j.env.Path) {
		j.deps = append(j.deps, Dep{On: at, Name: name, Found: found})
	}
}

// Outputs returns the number of outputs to write.
func (j *Job) Outputs() int { return len(j.env.Outputs) }

// Create opens the i-th output for writing.
func (j *Job) Create(i int) (*os.File, error) { return j.env.Create(i) }

// Previous opens the i-th output of the latest result that the same recipe, with the same options,
// made from the source. All its bytes are verified. Previous returns nil if no such output is
// available. The caller must close the file. A recipe may copy unchanged parts of it to save work;
// the result must be the same without it, which [cook verify] proves.
//
// [cook verify]: https://github.com/assetcook/assetcook/blob/main/docs/verify.md
func (j *Job) Previous(i int) *os.File {
	if j.env.Previous == nil {
		return nil
	}
	return j.env.Previous(i)
}

// Write writes data as the whole i-th output.
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

// SourceFile returns the file name of the source, for external programs. The file is outside the
// asset tree if another recipe produced the source.
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
		return nil, fmt.Errorf("%s is not a regular file", info.Name())
	}
	// The buffer has one extra byte, so that the last read reaches the end without growing the
	// buffer.
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
