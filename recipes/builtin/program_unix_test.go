//go:build unix

package builtin

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// running is a recipe of another author that runs a program.
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
	if err := Run(ctx, job, scratch, r.timeout, argv); err != nil {
		return err
	}
	return Deliver(job, file)
}

func TestRunForOtherRecipes(t *testing.T) {
	for _, tc := range []struct {
		script  string
		timeout time.Duration
		want    string // the output or the error
		fails   bool
	}{
		{`pwd | grep -c . > OUT; echo "$TZ" >> OUT`, time.Minute, "1\nUTC\n", false},
		{`echo "line 3: what is this?" >&2; exit 2`, time.Minute, "/bin/sh: exit status 2 line 3: what is this?", true},
		{`exit 0`, time.Minute, "the program wrote nothing to its output", true},
		{`ln -s /etc/passwd OUT`, time.Minute, "the program made a symbolic link of its output", true},
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
