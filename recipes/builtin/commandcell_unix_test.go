//go:build unix

package builtin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// celled is a script that can read only its declared inputs.
func celled(text string, reads ...string) *impatient {
	p := script(text, "{in}", "{out}")
	p.Sandbox, p.Reads = true, reads
	return p
}

// A program must find its inputs at their relative paths. The files of option reads must be
// dependencies.
func TestCellHoldsInputs(t *testing.T) {
	dir := assets(t, "d/a.x", "d/a.inc", "d/b.inc", "lib/all.inc", "lib/other.inc", "tools/t")
	p := celled(`find . -type f -o -type l | sort > "$2"; cat "$1" a.inc d/a.inc lib/all.inc >> "$2" 2>/dev/null; find . -type f -newermt 1980-01-02 >> "$2"
echo >> "$2"; test "$HOME" = "$TMPDIR" && test -w "$HOME" && echo home >> "$2"; pwd | grep -c / >> "$2"`,
		"{stem}.inc", "/lib/all.inc", "none.inc", "./{stem}.inc")
	p.ToolFiles = []string{"tools/t"}
	res := p.run(t, t.Context(), dir, "d/a.x")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	want := "./d/a.inc\n./d/a.x\n./lib/all.inc\n./tools/t\nd/a.xd/a.inclib/all.inc\nhome\n1\n"
	if d := cmp.Diff(want, string(res.Outputs[0])); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	deps := []recipe.Dep{
		{Name: "./a.inc", On: recipe.Dependency{Path: "d/a.inc"}, Found: true}, {Name: "/lib/all.inc", On: recipe.Dependency{Path: "lib/all.inc"}, Found: true},
		{Name: "a.inc", On: recipe.Dependency{Path: "d/a.inc"}, Found: true}, {Name: "none.inc", On: recipe.Dependency{Path: "d/none.inc"}},
	}
	if d := cmp.Diff(deps, res.Deps); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// A program in the asset directory must be executed at its own path.
func TestCellRunsToolsOfTheAssets(t *testing.T) {
	dir := assets(t, "a", "tools/part")
	if err := os.WriteFile(filepath.Join(dir, "tools/run"), []byte("#!/bin/sh\ncat \"$(dirname \"$0\")\"/part tools/part > \"$1\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	p := script("", "")
	p.commandOptions.Command, p.ToolFiles, p.Sandbox = []string{"tools/run", "{out}"}, []string{"tools/part"}, true
	res := p.run(t, t.Context(), dir, "a")
	if res.Err != nil || string(res.Outputs[0]) != "tools/parttools/part" {
		t.Errorf("%q, %v", res.Outputs[0], res.Err)
	}
}

// A script must find its interpreter in any directory. A missing interpreter must be an error.
func TestCellHasInterpreters(t *testing.T) {
	dir, elsewhere := assets(t, "a", "none", "second"), assets(t, "sh")
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	interpreter := filepath.Join(elsewhere, "sh")
	if err := os.WriteFile(interpreter, sh, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(interpreter, 0o777); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(dir, "second")
	for _, tc := range []struct{ script, want string }{
		{"#!" + interpreter + "\nread x < a; echo $x > $1\n", "a\n"},
		{"#!/bin/sh\n" + second + " $1\n", "second\n"},
		{"#!" + elsewhere + "/none\n", "run: the first line of the script asks for " + elsewhere + "/none, which does not exist"},
	} {
		for file, text := range map[string]string{filepath.Join(dir, "run"): tc.script, second: "#!" + interpreter + "\necho second > $1\n"} {
			if err := errors.Join(os.WriteFile(file, []byte(text), 0o777), os.Chmod(file, 0o777)); err != nil {
				t.Fatal(err)
			}
		}
		p := script("", "")
		p.commandOptions.Command, p.ToolFiles, p.Sandbox = []string{"./run", "{out}"}, []string{"./second"}, true
		res := p.run(t, t.Context(), dir, "a")
		if res.Err != nil {
			wantError(t, res.Err, tc.want)
		} else if got := string(res.Outputs[0]); got != tc.want {
			t.Errorf("%q: %q", tc.script, got)
		}
	}
}

// With a depfile, a program must be able to read files that the rule does not declare.
func TestCellWithDepfile(t *testing.T) {
	dir := assets(t, "d/a", "d/b")
	p := script(`cat "$1" d/b > "$2"; echo "x: $1 d/b" > "$3"`, "{in}", "{out}", "{depfile}")
	p.Sandbox = true
	res := p.run(t, t.Context(), dir, "d/a")
	if res.Err != nil || string(res.Outputs[0]) != "d/ad/b" || !slices.Equal(res.Deps, []recipe.Dep{{Name: "/d/b", On: recipe.Dependency{Path: "d/b"}, Found: true}}) {
		t.Errorf("%q, %v, %v", res.Outputs[0], res.Deps, res.Err)
	}
}

// The error must name a wrong path in the rule. If the program is confined, it must also name the
// files that the program could not read.
func TestCellErrors(t *testing.T) {
	dir := assets(t, "d/a", "d/b", "c", "e/1", "e/2", "e/3", "e/4", "d/folder/x")
	outside := filepath.Join(assets(t, "lib/outside"), "lib/outside")
	for _, tc := range []struct {
		text     string
		reads    []string
		confined bool
		want     []string
	}{
		{"", []string{"folder"}, false, []string{"reads: d/folder is a directory, not a file; name a file"}},
		{"", []string{"../../x"}, false, []string{`reads: dependency "../../x": the path is outside the asset tree`}},
		{`cat d/b`, nil, false, []string{"sh: exit status 1; the program asked for d/b, which the rule does not declare; add reads = [\"b\"]\n", "cat: d/b: No such file"}},
		{`cat c`, nil, false, []string{`the program asked for c, which the rule does not declare; add reads = ["/c"]`}},
		{`cat e/1 e/2 e/3 e/4`, nil, false, []string{`the program asked for e/1 and 3 other files, which the rule does not declare; add reads = ["/e/1", "/e/2", "/e/3"]`}},
		{`cat '` + dir + `/c'`, nil, true, []string{`the program asked for c, which`}},
		{`cat '` + outside + `'`, nil, true, []string{`the program asked for `, `lib/outside, which the sandbox hides; add system = ["`}},
		{`echo > c && echo > '` + dir + `/c'`, nil, true, []string{"exit status"}},
		{`cat nothing; exit 3`, nil, false, []string{"sh: exit status 3\n"}},
		{`cat "$2" 2>&1; exit 1`, nil, false, []string{"cat: {out}: No such file"}},
	} {
		if (tc.confined || strings.Contains(strings.Join(tc.want, ""), "asked")) && sandbox.Supported() != nil {
			continue
		}
		wantError(t, celled(tc.text, tc.reads...).run(t, t.Context(), dir, "d/a").Err, tc.want...)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "c")); err != nil || string(text) != "c" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCellSystem(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	home := assets(t, "sdk/header")
	t.Setenv("HOME", home)
	p := celled(`cat "` + home + `/sdk/header" > "$2"`)
	p.System = []string{"~/sdk"}
	if res := p.run(t, t.Context(), assets(t, "a"), "a"); res.Err != nil || string(res.Outputs[0]) != "sdk/header" {
		t.Errorf("%q, %v", res.Outputs[0], res.Err)
	}
	p.System = nil
	wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, `add system = ["`)
}

// A traced program must depend on every file that it accessed.
func TestCellTraced(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	dir := assets(t, "d/a.x", "d/b", "lib/c", "lib/.hidden", "other/e")
	p := celled(`(cat "$1" d/b lib/*; cat gone; test -d other && echo yes; test -d none; :) > "$2" 2>&-; echo $? >> "$2"; echo x > "$TMPDIR/t" && cat "$TMPDIR/t" >> "$2"`)
	p.Deps = "trace"
	res := p.run(t, t.Context(), dir, "d/a.x")
	if res.Err != nil || string(res.Outputs[0]) != "d/a.xd/blib/cyes\n0\nx\n" {
		t.Fatalf("%q, %v", res.Outputs[0], res.Err)
	}
	var deps []string
	for _, d := range res.Deps {
		deps = append(deps, pathname.Show(d.On.String())+map[bool]string{false: " absent"}[d.Found])
	}
	slices.Sort(deps)
	if d := cmp.Diff([]string{"d/b", "gone absent", "lib/", "lib/c", "none absent", "other"}, deps); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestCellCannotTrace(t *testing.T) {
	old := confinable
	defer func() { confinable = old }()
	confinable = func() error { return sandbox.ErrUnsupported }
	p := celled(`cat "$1" > "$2"`)
	p.Deps = "trace"
	wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, `deps = "trace": this system cannot confine programs; declare what the program reads with reads or {depfile}`)
}

// On a system that cannot confine programs, the run must add a note. Programs must find the same
// files.
func TestCellIsOpenElsewhere(t *testing.T) {
	old := confinable
	defer func() { confinable = old }()
	confinable = func() error { return sandbox.ErrUnsupported }
	dir, out := assets(t, "a", "b"), filepath.Join(t.TempDir(), "out")
	var notes []string
	job := jobs.New(named(t, "command"), jobs.Env{
		Path: "a", Open: os.DirFS(dir).Open, Outputs: []string{out}, Assets: dir,
		Scratch: func() (string, error) { return t.TempDir(), nil },
		Note:    func(line string) { notes = append(notes, line) },
	}, 1)
	if err := celled(`ls > "$2"`).Cook(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != "a\n" {
		t.Errorf("%q, %v", text, err)
	}
	if want := []string{"this system cannot confine programs, so programs can read files that their rules do not declare"}; !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
}

func TestCellOptions(t *testing.T) {
	for _, tc := range []struct {
		c    commandOptions
		want string
	}{
		{commandOptions{Reads: []string{"{out}"}}, `reads: want names of files, with {stem} for the stem of the source, and {{ or }} for a brace, have "{out}"`},
		{commandOptions{Reads: []string{""}}, `reads: want names of files, or patterns such as "lib/*.h", have ""`},
		{commandOptions{Reads: []string{"a/"}}, `reads: want names of files, or patterns such as "lib/*.h", have "a/"`},
		{commandOptions{Reads: []string{"[a"}}, `have "[a"`},
		{commandOptions{System: []string{"a"}}, `system: want absolute paths of files and directories outside the asset directory, or paths such as "~/sdk"; list files of the asset directory in reads or tools, have "a"`},
		{commandOptions{System: []string{"~x"}}, `have "~x"`},
		{commandOptions{Deps: "trace"}, `deps: want "declared" with sandbox = false or daemons = true`},
		{commandOptions{Deps: "trace", Sandbox: true, Daemons: true}, `deps: want "declared" with sandbox = false or daemons = true`},
	} {
		tc.c.Command = []string{"x", "{out}"}
		wantError(t, tc.c.checkOptions(), tc.want)
	}
}

// cook why must say whether a program is confined.
func TestCellExplained(t *testing.T) {
	for want, c := range map[string]commandOptions{
		"not confined: daemons is true":  {Daemons: true, Sandbox: true},
		"not confined: sandbox is false": {},
		"{depfile}":                      {Sandbox: true, Command: []string{"x", "{depfile}"}},
		"may read its source":            {Sandbox: true, Command: []string{"x"}},
	} {
		if strings.HasPrefix(want, "{") || strings.HasPrefix(want, "reads") {
			if sandbox.Supported() != nil {
				want = "is not kept"
			}
		}
		if len(c.Command) == 0 {
			c.Command = []string{"x"}
		}
		lines, err := c.explainResult(context.Background(), nil)
		if err != nil || len(lines) != 1 || !strings.Contains(lines[0], want) {
			t.Errorf("%q, %v; want %q", lines, err, want)
		}
	}
}

func TestCellNeedsItsSource(t *testing.T) {
	if res := celled(`:`).run(t, t.Context(), assets(t, "a"), "a"); res.Err == nil {
		t.Error("no output, no error")
	}
	job := jobs.New(named(t, "command"), jobs.Env{
		Path: "gone", Open: os.DirFS(t.TempDir()).Open, Outputs: []string{filepath.Join(t.TempDir(), "out")}, Assets: t.TempDir(),
		Scratch: func() (string, error) { return t.TempDir(), nil },
	}, 1)
	if err := celled(`echo > "$2"`).Cook(t.Context(), job); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
