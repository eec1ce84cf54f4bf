//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assetcook/assetcook/cook/recipe"
)

// cookWithDepfile runs a command in the directory that writes the given depfile. The depfile may
// contain $OUT, $SCRATCH and $SELF, for the output, the scratch directory and the shell.
func cookWithDepfile(t *testing.T, dir, depfile string, tools ...string) ([]recipe.Dep, error) {
	t.Helper()
	p := script(`echo > "$1"; OUT=$1; SCRATCH=$3; SELF=$(command -v sh); eval "cat <<.
$4
." > "$2"`, "{out}", "{depfile}", "{scratch}", depfile)
	p.ToolFiles = tools
	res := p.run(t, t.Context(), dir, "src/a.frag")
	return res.Deps, res.Err
}

func TestCommandDependencies(t *testing.T) {
	real := assets(t, "src/a.frag", "src/b.glsl", "inc/c d.glsl", "inc/deep/e.glsl", "tool.py")
	outside := assets(t, "x.h", "y.h", "bin/tool1.2")
	link := filepath.Join(outside, "assets")
	for target, name := range map[string]string{
		real:                              link,
		filepath.Join(real, "inc/deep"):   filepath.Join(real, "src/away"),
		filepath.Join(real, "src/b.glsl"): filepath.Join(real, "src/alias.glsl"),
		filepath.Join(outside, "x.h"):     filepath.Join(real, "tool.h"),
		filepath.Join(outside, "bin"):     filepath.Join(outside, "sbin"),
		"tool1.2":                         filepath.Join(outside, "bin/tool"),
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	found := func(path string) recipe.Dep {
		return recipe.Dep{Name: "/" + path, On: recipe.Dependency{Path: path}, Found: true}
	}

	for name, tc := range map[string]struct {
		depfile string
		tools   []string
		want    []recipe.Dep
		err     string
	}{
		"relative":          {depfile: `$OUT: src/a.frag ./src/b.glsl inc/c\\ d.glsl`, want: []recipe.Dep{found("inc/c d.glsl"), found("src/b.glsl")}},
		"absolute":          {depfile: "out: " + real + "/src/b.glsl", want: []recipe.Dep{found("src/b.glsl")}},
		"by the link":       {depfile: "out: " + link + "/src/b.glsl", want: []recipe.Dep{found("src/b.glsl")}},
		"one file twice":    {depfile: "out: src/b.glsl src/../src//b.glsl", want: []recipe.Dep{found("src/b.glsl")}},
		"link kept":         {depfile: "out: src/away/e.glsl src/alias.glsl", want: []recipe.Dep{found("src/alias.glsl"), found("src/away/e.glsl")}},
		"up from a link":    {depfile: `out: src/away/../c\\ d.glsl`, want: []recipe.Dep{found("inc/c d.glsl")}},
		"absent":            {depfile: "out: src/gone.glsl gone/../src/b.glsl", want: []recipe.Dep{found("src/b.glsl"), {Name: "/src/gone.glsl", On: recipe.Dependency{Path: "src/gone.glsl"}}}},
		"own files":         {depfile: "$OUT: $OUT $SCRATCH/tmp.i $SELF"},
		"tools":             {depfile: "out: tool.py " + outside + "/x.h", tools: []string{"./tool.py", outside + "/x.h"}},
		"tool by its link":  {depfile: "out: " + outside + "/x.h", tools: []string{"./tool.h"}},
		"tool by its names": {depfile: "out: " + outside + "/sbin/tool " + outside + "/bin/tool " + outside + "/bin/tool1.2", tools: []string{outside + "/sbin/tool"}},
		"outside":           {depfile: "out: " + outside + "/y.h", err: `sh: depfile: the file "` + outside + `/y.h" is outside the asset directory; add the file to tools = [...], so that cook notices its changes`},
		"outside, relative": {depfile: "out: ../y.h", err: "outside the asset directory"},
		"outside, by links": {depfile: "out: src/away/../../../y.h", err: "outside the asset directory"},
		"the directory":     {depfile: "out: .", err: "a directory"},
		"torn":              {depfile: "out src/b.glsl", err: "sh: depfile: line 1: there is no ':' after the targets"},
		"empty":             {depfile: "", err: "sh: depfile: the depfile has no rule such as out: in"},
	} {
		for _, dir := range []string{real, link} {
			deps, err := cookWithDepfile(t, dir, tc.depfile, tc.tools...)
			if tc.err != "" {
				wantError(t, err, tc.err)
				continue
			}
			if d := cmp.Diff(tc.want, deps); err != nil || d != "" {
				t.Errorf("%s in %s: %v\n%s", name, dir, err, d)
			}
		}
	}
}

func TestCommandWarnsOfAbsentDependencies(t *testing.T) {
	dir := assets(t, "a", "sp ace.h")
	for depfile, want := range map[string][]string{
		`o: a "sp ace.h"`:        nil,
		`o: a sp\ ace.h`:         nil,
		`o: a 'sp ace.h' gone.h`: {`the depfile names 3 files that do not exist, such as "'sp"; if the program read them by other names, cook does not notice edits`},
	} {
		res := script(`echo > "$1"; printf '%s\n' "$3" > "$2"`, "{out}", "{depfile}", depfile).run(t, t.Context(), dir, "a")
		if d := cmp.Diff(want, res.Warned, cmpopts.EquateEmpty()); res.Err != nil || d != "" {
			t.Errorf("%s: %v\n%s", depfile, res.Err, d)
		}
	}
}

func TestCommandDepfileMustBeWritten(t *testing.T) {
	dir := assets(t, "a")
	for text, want := range map[string]string{
		`echo > "$1"`:                `sh: depfile: the program wrote no depfile; remove {depfile} if the program does not support it`,
		`echo > "$1"; mkfifo "$2"`:   `sh: depfile: the program made a special file`,
		`echo > "$1"; ln -s a "$2"`:  `sh: depfile: the program made a symbolic link`,
		`echo "o: a" > "$2"`:         `sh: output {out}: the program wrote no file; correct its arguments, or remove this output`,
		`echo "o: a" > "$2"; exit 1`: `sh: exit status 1`,
	} {
		wantError(t, script(text, "{out}", "{depfile}").run(t, t.Context(), dir, "a").Err, want)
	}
}
