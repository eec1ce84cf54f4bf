package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// commandOptions are the options of the recipe "command", which runs an external program. The
// program reads the source and writes the outputs, which the rule must name.
//
// Arguments may contain these placeholders; {{ and }} stand for literal braces:
//
//	{in}          the source, as ./path relative to the asset directory; an absolute
//	              path if another recipe made it and the program runs in the asset directory
//	{out}         the first output
//	{out0} {out1} each of the outputs
//	{stem}        the source's name without directory and extension; like any file name,
//	              it may start with '-'
//	{depfile}     a file, in Makefile syntax, in which the program lists the files that it
//	              has read besides the source
//	{scratch}     a directory for temporary files, empty at first
//
// No shell is involved, so file names need no quoting. Pass names to a shell script as arguments:
//
//	command = ["sh", "-c", 'convert "$1" > "$2"', "sh", "{in}", "{out}"]
//
// The program sees only its declared inputs. It runs in a directory with the source and the files
// of options reads and tools. Each of these files has its path relative to the asset directory, and
// a modification time at the start of 1980. On Linux, a sandbox restricts the program. It can read
// only these files, its own directory, the paths of option system, and directories of the system
// such as /usr. It can write only its outputs and the scratch directory. It has no network, and
// processes that it leaves behind are killed. See package internal/sandbox. A program with
// {depfile} runs in the asset directory and may read all of it, because it lists its inputs
// afterwards. A verify run traces such programs, and programs without a sandbox. It finds inputs
// that they do not list.
//
// Standard input is empty. The program's output is shown only if it fails. Its environment is the
// same everywhere. PATH comes from cook. HOME and TMPDIR are the scratch directory. LANG and LC_ALL
// are C.UTF-8, and TZ is UTC. SOURCE_DATE_EPOCH is the start of 1980, the earliest date in a zip
// file. Option env adds variables. Windows adds TEMP, TMP, USERPROFILE and SystemRoot.
//
// If sandbox is false or daemons is true, the program runs in the asset directory with cook's HOME
// and rights. Then the result must depend only on the source, the files of options reads and tools,
// and the files that {depfile} lists.
//
// When the program ends, the processes that it leaves behind are killed. If daemons is true,
// processes with their own session are not killed. Some processes cannot be found. Outside of
// Linux, these are processes that have left the program's process group. On Linux before 6.12, or
// without the sandbox, these are processes that also dropped TMPDIR or became another user. On
// Windows, a job object contains all processes that the program starts. If daemons is true there,
// only the program itself is killed. On Linux and Windows, all of them are killed when cook itself
// is killed.
type commandOptions struct {
	Command   []string          `toml:"command" doc:"the program and its arguments; a program with a slash in its name is in the asset directory, any other is on PATH"`
	Env       map[string]string `toml:"env" doc:"additional environment variables"`
	ToolFiles []string          `toml:"tools" doc:"more files that belong to the program, such as scripts and headers outside the asset directory"`
	Version   []string          `toml:"version_command" doc:"a program and its arguments that print the version of the command, such as [\"toktx\", \"--version\"]; if its output changes, the assets are cooked again, and cook why prints both outputs; it runs only if the program or a file of tools has changed"`
	Reads     []string          `toml:"reads" doc:"files of the asset directory that the program reads besides the source: relative to the source's directory, or to the asset directory if they start with a slash; {stem} is the stem of the source. Files may be absent. Patterns are allowed, such as \"lib/**/*.h\""`
	System    []string          `toml:"system" doc:"further files and directories outside the asset directory that the program may read, such as \"/srv/sdk\" or \"~/venv\"; they count as part of the machine, so their changes do not cook assets again"`
	Deps      string            `toml:"deps" enum:"declared,trace" doc:"source of the program's inputs: declared uses reads, tools and {depfile}; trace runs the program in the asset directory and records the files and directories that it asks for (Linux)"`
	Sandbox   bool              `toml:"sandbox" doc:"run the program in a sandbox that contains only its inputs"`
	Timeout   time.Duration     `toml:"timeout" min:"1ms" doc:"time limit of the program" unkeyed:"a limit on time changes no byte"`
	MaxMemory int               `toml:"max_memory" min:"0" max:"1000000000" doc:"memory limit, in MiB, of the program and all processes that it starts (Linux); 0 means three quarters of the machine's memory" unkeyed:"a limit on memory changes no byte"`
	MaxDisk   int               `toml:"max_disk" min:"0" max:"1000000000" doc:"limit, in MiB, of the outputs and the scratch directory together; 0 means 8192" unkeyed:"a limit on size changes no byte"`
	Daemons   bool              `toml:"daemons" doc:"let servers that the program started keep running after the program ends; such a program has no sandbox" unkeyed:"a server that stays does not change the outputs"`
}

// sourceDate is the start of 1980, in Unix seconds.
const sourceDate = sandbox.SourceDate

// Outputs implements recipe.Cooker. It returns nil because the rule must name the outputs.
func (*commandOptions) Outputs() []string { return nil }

// programFiles implements Traits.Tools.
func (c *commandOptions) programFiles() []string {
	return slices.Concat(c.Command[:min(1, len(c.Command))], c.ToolFiles, c.Version[:min(1, len(c.Version))])
}

// checkOptions implements Traits.Check.
func (c *commandOptions) checkOptions() error {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return &recipe.OptionError{Key: "command", Want: `a program and its arguments, such as ["tool", "{in}", "{out}"]`}
	}
	if strings.ContainsAny(c.Command[0], "{}\x00") {
		return &recipe.OptionError{Key: "command", Got: strconv.Quote(c.Command[0]), Want: "the name of a program, without braces, as the first element"}
	}
	writes := false
	for _, arg := range c.Command[1:] {
		words, err := placeholders(arg)
		if err != nil {
			return &recipe.OptionError{Key: "command", Got: strconv.Quote(arg), Want: err.Error()}
		}
		writes = writes || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "out") })
	}
	if !writes {
		return &recipe.OptionError{Key: "command", Want: "an argument with {out}, or {out0}, {out1}, ..., so that the program knows where to write"}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(c.Env[name], "\x00") {
			return &recipe.OptionError{Key: "env", Got: strconv.Quote(name), Want: "names of variables without '=' and values without NUL"}
		}
	}
	if len(c.Version) > 0 && (c.Version[0] == "" || slices.ContainsFunc(c.Version, func(arg string) bool { return strings.Contains(arg, "\x00") })) {
		return &recipe.OptionError{Key: "version_command", Got: strconv.Quote(c.Version[0]), Want: `a program and its arguments, such as ["tool", "--version"], without NUL`}
	}
	if slices.Contains(c.ToolFiles, "") {
		return &recipe.OptionError{Key: "tools", Got: `""`, Want: "names of files"}
	}
	return c.checkSandbox()
}

// Cook implements recipe.Cooker.
func (c *commandOptions) Cook(ctx context.Context, job *recipe.Job) error {
	return c.cookWithGrace(ctx, job, grace)
}

func (c *commandOptions) cookWithGrace(ctx context.Context, job *recipe.Job, grace time.Duration) error {
	if err := c.checkOptions(); err != nil {
		return err
	}
	call, err := c.prepareCall(job)
	if err != nil {
		return err
	}
	if _, err := c.runToEnd(ctx, call, grace); err != nil {
		dependInVain(call, job, c.programFiles()) // a missing file may have caused the failure
		return fmt.Errorf("%s: %w", c.Command[0], err)
	}
	if call.trace != nil {
		err := dependOnTrace(call.trace, newPlaces(call, c.programFiles()), job)
		if changed := call.trace.Changed(); changed != "" { // checked last, after the inputs were recorded
			err = fmt.Errorf("input %s: %w", pathname.Show(changed), recipe.ErrChanged)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Command[0], err)
		}
	}
	if err := c.limitsOf(call).checkWritten(0); err != nil { // count the bytes that were written since the last check
		return fmt.Errorf("%s: %w", c.Command[0], err)
	}
	for i, file := range call.outputs {
		if err := checkOutput(file); err != nil {
			return fmt.Errorf("%s: output {%s}: %w", c.Command[0], outputWord(i, len(call.outputs)), err)
		}
	}
	if call.wantsDepfile {
		if err := c.depend(call, job); err != nil {
			return fmt.Errorf("%s: depfile: %w", c.Command[0], err)
		}
	}
	return call.deliverOutputs(job)
}

// A call is a command whose placeholders are filled in for one source.
type call struct {
	assets, scratch string
	made            string // absolute path of the source if it is not in the asset directory
	program         string
	args            []string
	outputs         []string // absolute paths of the outputs
	depfile         string
	wantsDepfile    bool
	vars            map[string]string // variables for the program; see jobs.Programs
	used            func(processor time.Duration)
	cell            *cell          // nil if the program runs unconfined in the asset directory
	shown           *sandbox.Trace // fixes the modes and times that the program can see; may be nil
	trace           *sandbox.Trace // records reads in the asset directory; may be nil
}

func (c *commandOptions) prepareCall(job *recipe.Job) (*call, error) {
	vars, traced, used := jobs.Programs(job)
	p := call{vars: vars, used: used, wantsDepfile: c.usesWord("depfile")}
	var err error
	if p.assets, err = filepath.Abs(job.Assets()); err != nil {
		return nil, err
	}
	source, err := filepath.Abs(job.SourceFile())
	if err != nil {
		return nil, err
	}
	if source != filepath.Join(p.assets, filepath.FromSlash(job.Path())) {
		p.made = source
	}
	scratch, err := job.Scratch()
	if err != nil {
		return nil, err
	}
	if p.scratch, err = filepath.Abs(scratch); err != nil {
		return nil, err
	}
	if p.program, err = program.Find(p.assets, c.Command[0]); err != nil {
		return nil, err
	}
	for i := range job.Outputs() {
		file, err := filepath.Abs(job.OutputFile(i))
		if err != nil {
			return nil, err
		}
		p.outputs = append(p.outputs, file)
	}
	if len(p.outputs) == 0 {
		return nil, errors.New("the rule names no outputs; add outputs = [...]")
	}
	if c.Sandbox && !c.Daemons {
		if err := c.enclose(&p, job); err != nil {
			return nil, err
		}
	} else if err := errors.Join(openSource(job), c.bringReads(&p, job)); err != nil {
		return nil, err
	}
	if traced != nil && c.mayReadMore(&p) && confinable() == nil {
		traced()
		p.trace = c.newTrace(&p)
		p.trace.Plain = p.cell == nil // programs see the same modes and times as without a trace
	}
	p.depfile = filepath.Join(p.scratch, "cook.d")
	return &p, c.fillIn(&p, job.Path())
}

// openSource opens the source. That checks that the source is in the asset tree.
func openSource(job *recipe.Job) error {
	src, err := job.Open()
	if err == nil {
		src.Close()
	}
	return err
}

// usesWord reports whether an argument contains the placeholder {word}.
func (c *commandOptions) usesWord(word string) bool {
	return slices.ContainsFunc(c.Command[1:], func(arg string) bool {
		words, _ := placeholders(arg) // checkOptions has already validated the argument
		return slices.Contains(words, word)
	})
}

// fillIn fills in the placeholders of a call's arguments.
func (c *commandOptions) fillIn(p *call, source string) error {
	in := filepath.FromSlash("./" + source)
	if p.made != "" && (p.cell == nil || p.cell.assets == "") {
		in = p.made // artifacts are not copied into the program's directory
	}
	words := map[string]string{
		"in":      in,
		"out":     p.outputs[0],
		"stem":    stem(source),
		"depfile": p.depfile,
		"scratch": p.scratch,
	}
	for i, file := range p.outputs {
		words[fmt.Sprint("out", i)] = file
	}
	p.args = []string{c.Command[0]}
	for _, arg := range c.Command[1:] {
		filled, err := fillWords(arg, words)
		if err != nil {
			return fmt.Errorf("command: %q: %w; the rule has %d outputs", arg, err, len(p.outputs))
		}
		p.args = append(p.args, filled)
	}
	return nil
}

// stem returns the last part of a path without the extension that recipe.Ext finds.
func stem(p string) string {
	name := path.Base(p)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// environ returns the program's complete environment, sorted.
func (c *commandOptions) environ(p *call) []string {
	scratch := p.scratch
	vars := map[string]string{
		"TMPDIR": scratch, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC",
		"SOURCE_DATE_EPOCH": strconv.Itoa(sourceDate),
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			vars[name] = value
		}
	}
	for _, name := range tempVariables {
		vars[name] = scratch
	}
	if p.cell != nil {
		for _, name := range homeVariables {
			vars[name] = scratch
		}
	}
	maps.Copy(vars, p.vars)
	maps.Copy(vars, c.Env) // a variable that the rule sets is an input
	list := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, name+"="+vars[name])
	}
	return list
}

func outputWord(i, n int) string {
	if n == 1 {
		return "out"
	}
	return fmt.Sprint("out", i)
}

// checkOutput checks an output file. Its error is shown after the name of the output.
func checkOutput(file string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the program wrote no file; correct its arguments, or remove this output")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("the program made a %s, not a file; let the program write a file", fileKind(info.Mode()))
	case countLinks(info) > 1:
		// A hard link would let the store share the bytes with another file.
		return errors.New("the program made a hard link; let the program copy the file")
	}
	return nil
}

func fileKind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	}
	return "special file"
}
