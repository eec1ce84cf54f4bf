//go:build unix

package builtin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/jobs"
)

// impatient is a recipe command with the outputs and the grace period of a test.
type impatient struct {
	commandOptions
	outputs []string
	grace   time.Duration
}

func (p *impatient) Outputs() []string { return p.outputs }

func (p *impatient) Cook(ctx context.Context, job *recipe.Job) error {
	return p.cookWithGrace(ctx, job, p.grace)
}

// script is a recipe command that runs a shell script with the given arguments.
func script(text string, args ...string) *impatient {
	return &impatient{
		commandOptions: commandOptions{Command: append([]string{"sh", "-c", text, "sh"}, args...), Timeout: defaultTimeout},
		grace:          time.Minute,
	}
}

// run cooks the source at path in a directory of assets.
func (p *impatient) run(t *testing.T, ctx context.Context, assets, path string) recipetest.Result {
	t.Helper()
	r := named(t, "command")
	r.Traits = nil // the traits work only with commandOptions
	return recipetest.CookContext(ctx, t, r, p, os.DirFS(assets), assets, path)
}

// assets makes a directory with files. The content of each file is its name.
func assets(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCommandSeesItsSource(t *testing.T) {
	for _, name := range []string{"a.txt", "-n", "sub/-e.txt", "a b\n$(c);'\".txt", "{in}", "ü"} {
		res := script(`cat "$1" > "$2"; printf " %s" "$1" >> "$2"`, "{in}", "{out}").run(t, t.Context(), assets(t, name), name)
		if want := name + " ./" + name; res.Err != nil || string(res.Outputs[0]) != want {
			t.Errorf("%q: got %q, error %v; want %q", name, res.Outputs[0], res.Err, want)
		}
	}
}

func TestCommandWritesItsOutputs(t *testing.T) {
	p := script(`echo "$1" > "$2"; echo first > "$3"; test -d "$4" && test -z "$(ls -A "$4")" && test "$TMPDIR" = "$4"`,
		"{stem}", "{out1}", "{out0}", "{scratch}")
	p.outputs = []string{"a", "b"}
	res := p.run(t, t.Context(), assets(t, "x/name.tar.gz"), "x/name.tar.gz")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	if d := cmp.Diff([][]byte{[]byte("first\n"), []byte("name.tar\n")}, res.Outputs); d != "" {
		t.Error(d)
	}
}

func TestCommandOutputsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		`:`:              "sh: output {out}: the program wrote no file; correct its arguments, or remove this output",
		`mkdir "$1"`:     "sh: output {out}: the program made a directory, not a file; let the program write a file",
		`ln -s a "$1"`:   "sh: output {out}: the program made a symbolic link, not a file; let the program write a file",
		`ln a "$1"`:      "sh: output {out}: the program made a hard link; let the program copy the file",
		`mkfifo "$1"`:    "sh: output {out}: the program made a special file, not a file; let the program write a file",
		`echo > "$1"; (`: "sh: exit status 2\n\t",
	} {
		dir := assets(t, "a")
		// The output cannot be read as a file, so only the error is checked.
		job := jobs.New(named(t, "command"), jobs.Env{
			Path: "a", Open: os.DirFS(dir).Open,
			Outputs: []string{filepath.Join(t.TempDir(), "out")}, Assets: dir,
			Scratch: func() (string, error) { return t.TempDir(), nil },
		}, 1)
		wantError(t, script(text, "{out}").Cook(t.Context(), job), want)
	}
	p := script(`echo > "$1"`, "{out}")
	p.outputs = []string{"a", "b"}
	wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, "sh: output {out1}: the program wrote no file; correct its arguments, or remove this output")
	wantError(t, script(`:`, "{out1}").run(t, t.Context(), assets(t, "a"), "a").Err,
		`command: "{out1}": there is no placeholder {out1}; the rule has 1 outputs`)
}

// The processor time of a program and its children must count as time of the job.
func TestCommandCountsProcessorTime(t *testing.T) {
	dir := assets(t, "a")
	var used time.Duration
	job := jobs.New(named(t, "command"), jobs.Env{
		Path: "a", Open: os.DirFS(dir).Open,
		Outputs: []string{filepath.Join(t.TempDir(), "out")}, Assets: dir,
		Create:  func(i int) (*os.File, error) { return nil, errors.New("not needed") },
		Scratch: func() (string, error) { return t.TempDir(), nil },
		Used:    func(d time.Duration) { used += d },
	}, 1)
	script(`sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; sleep 0.2; echo > "$1"`, "{out}").Cook(t.Context(), job)
	if used < 2*time.Millisecond || used > 10*time.Second {
		t.Errorf("a loop of a child took %v of processors", used)
	}
}

func TestCommandRunsInTheAssetFolder(t *testing.T) {
	dir := assets(t, "sub/a")
	res := script(`pwd -P > "$1"; cat >> "$1"`, "{out}").run(t, t.Context(), dir, "sub/a")
	if want := dir + "\n"; res.Err != nil || string(res.Outputs[0]) != want {
		t.Errorf("got %q, error %v; want %q", res.Outputs[0], res.Err, want)
	}
}

func TestCommandFromTheAssetFolder(t *testing.T) {
	dir := assets(t, "a")
	if err := os.WriteFile(filepath.Join(dir, "tool.sh"), []byte("#!/bin/sh\necho mine > \"$1\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	p := &impatient{commandOptions: commandOptions{Command: []string{"./tool.sh", "{out}"}, Timeout: time.Minute}, grace: time.Minute}
	res := p.run(t, t.Context(), dir, "a")
	if res.Err != nil || string(res.Outputs[0]) != "mine\n" {
		t.Errorf("got %q, error %v", res.Outputs[0], res.Err)
	}
	p.commandOptions.Command[0] = "./gone.sh"
	if res := p.run(t, t.Context(), dir, "a"); !errors.Is(res.Err, fs.ErrNotExist) {
		t.Errorf("error %v, want one that says that the program is not there", res.Err)
	}
}

func TestCommandEnvironment(t *testing.T) {
	t.Setenv("COOK_TEST_LEAK", "must not be seen")
	t.Setenv("TZ", "Pacific/Auckland")
	t.Setenv("HOME", "/home/of the test")
	p := &impatient{grace: time.Minute, commandOptions: commandOptions{
		Command: []string{os.Args[0], "environ", "{out}", "{scratch}"}, Timeout: time.Minute,
		Env: map[string]string{"EXTRA": "a=b\tc", "LANG": "de_DE"},
	}}
	res := p.run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	got := strings.Split(string(res.Outputs[0]), "\n")
	for i, v := range got {
		if strings.HasPrefix(v, "TMPDIR=/") {
			got[i] = "TMPDIR=/..."
		}
	}
	want := []string{
		"EXTRA=a=b\tc", "HOME=/home/of the test", "LANG=de_DE", "LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH"),
		"SOURCE_DATE_EPOCH=315532800", "TMPDIR=/...", "TZ=UTC",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCommandFailures(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`echo out; printf 'bad \033[1m line\n' >&2; exit 3`, "sh: exit status 3\n\tout\n\tbad \\x1b[1m line"},
		{`exit 1`, "sh: exit status 1"},
		{`kill -SEGV $$`, "sh: signal: segmentation fault"},
		{`i=0; while [ $i -lt 30 ]; do echo $i; i=$((i+1)); done; exit 1`, "sh: exit status 1\n\t(only the last 20 lines)\n\t10\n"},
	} {
		err := script(tc.text, "{out}").run(t, t.Context(), assets(t, "a"), "a").Err
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: error %q, want %q", tc.text, err, tc.want)
		}
	}
}

func TestCommandTimesOut(t *testing.T) {
	p := script(`echo waiting; exec sleep 1000`, "{out}")
	p.Timeout = 5 * time.Millisecond
	wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, "sh: timed out after 5ms (timeout)")
}

// running is a recipe that runs a program by means of Run.
type running struct {
	argv    []string
	timeout time.Duration
}

func (*running) Outputs() []string { return []string{"{path}"} }

func (r *running) Cook(ctx context.Context, job *recipe.Job) error {
	argv := append([]string{}, r.argv...)
	scratch, err := job.Scratch()
	if err != nil {
		return err
	}
	file := filepath.Join(scratch, "made")
	argv[len(argv)-1] = strings.ReplaceAll(argv[len(argv)-1], "OUT", file)
	if _, err := Run(ctx, job, scratch, r.timeout, argv); err != nil {
		return err
	}
	return Deliver(job, file)
}

func TestRunForOtherRecipes(t *testing.T) {
	for _, tc := range []struct {
		script  string
		timeout time.Duration
		want    string // the expected output or error
		fails   bool
	}{
		{`pwd | grep -c . > OUT; echo "$TZ" >> OUT`, time.Minute, "1\nUTC\n", false},
		{`echo "line 3: what is this?" >&2; exit 2`, time.Minute, "/bin/sh: exit status 2 line 3: what is this?", true},
		{`exit 0`, time.Minute, "output: the program wrote no file; correct its arguments, or remove this output", true},
		{`ln -s /etc/passwd OUT`, time.Minute, "output: the program made a symbolic link, not a file; let the program write a file", true},
		{`sleep 100`, time.Millisecond, "timed out after 1ms", true},
	} {
		r := recipe.Recipe{Name: "running", Version: 1, New: func() recipe.Cooker { return nil }}
		c := &running{argv: []string{"/bin/sh", "-c", tc.script}, timeout: tc.timeout}
		res := recipetest.Cook(t, r, c, fstest.MapFS{"a": &fstest.MapFile{}}, t.TempDir(), "a")
		switch {
		case !tc.fails && (res.Err != nil || string(res.Outputs[0]) != tc.want):
			t.Errorf("%s: %q, %v; want %q", tc.script, res.Outputs[0], res.Err, tc.want)
		case tc.fails && (res.Err == nil || !strings.Contains(strings.Join(strings.Fields(res.Err.Error()), " "), tc.want)):
			t.Errorf("%s: error %v, want %q", tc.script, res.Err, tc.want)
		}
	}
}
