//go:build amd64 || arm64

package faultsweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/faultfs"
)

// A breakage is a fault at one call. What runs beside it, and the clock, can shift
// the numbers of the calls, so that this one is known by what it is, and by how many
// of the same come before it.
type breakage struct {
	scene string
	fault Fault
	call  callID // zero for none
	turn  int    // from 0
}

// A callID is what calls are the same by: the names without what is random in them,
// below the stage's folder.
type callID struct{ name, path, to string }

func (st *stage) idOf(c faultfs.Call) callID {
	plain := func(path string) string { return randomName.ReplaceAllString(strings.TrimPrefix(path, st.dir), "*") }
	return callID{c.Name, plain(c.Path), plain(c.To)}
}

var randomName = regexp.MustCompile("[0-9a-f]{16,}")

// outcome is what came of a play.
type outcome struct {
	calls []faultfs.Call // that the command made, up to the broken one
	met   bool           // the call that was to be broken
	found []Finding
}

// broken is how the broken command ended.
type broken struct {
	breakage
	met    faultfs.Call // the call that was broken; zero if it was not reached
	code   int          // exit code
	stdout string
	stderr string
	before cooktest.Tree // the outputs as it found them
	after  cooktest.Tree // and left them
}

func (r *broken) killed() bool { return r.met.N > 0 && r.fault.Action == faultfs.Kill }

// play begins the scene, breaks a call, and looks at what became of it. Its error
// is for what the sweep itself could not do.
func (st *stage) play(ctx context.Context, b breakage) (outcome, error) {
	if err := st.scene.begin(st); err != nil {
		return outcome{}, err
	}
	r := broken{breakage: b}
	var err error
	if r.before, err = readOut(st.out); err != nil {
		return outcome{}, err
	}
	calls, err := st.breakOne(ctx, &r)
	if ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	o := outcome{calls: calls, met: r.met.N > 0}
	find := func(kind Kind, format string, args ...any) {
		if what := fmt.Sprintf(format, args...); what != "" {
			what += "\n" + indent(r.stderr)
			o.found = append(o.found, Finding{Scene: st.scene.name, Fault: b.fault.Name, Call: r.met, Kind: kind, What: what})
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		find(Hang, "it did not end in %v", patience)
		return o, nil
	}
	if err != nil {
		return o, err
	}
	if r.after, err = readOut(st.out); err != nil {
		return o, err
	}
	st.judge(&r, find)
	for name := range st.scene.theirs {
		if r.after[name] != r.before[name] {
			find(Wrong, "%s was the user's and is not any more: %.80q", name, r.after[name])
		}
		if err := os.RemoveAll(filepath.Join(st.out, name)); err != nil {
			return o, err
		}
	}
	want := st.fresh
	if r.killed() {
		want = st.later
		if err := st.editLater(); err != nil {
			return o, err
		}
	}
	if err := st.mend(ctx, want, find); err != nil {
		return o, err
	}
	return o, st.undo()
}

// breakOne runs the command under the sweep's eyes.
func (st *stage) breakOne(ctx context.Context, r *broken) ([]faultfs.Call, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := st.command(st.args(st.scene.verb...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	turn := 0
	calls, err := faultfs.Run(ctx, cmd, []string{st.dir}, func(c faultfs.Call) faultfs.Action {
		switch {
		case r.met.N > 0: // and so have those before it been
			if c.Grows {
				return r.fault.Action
			}
		case r.call.name == c.Name && r.call == st.idOf(c):
			if turn++; turn <= r.turn {
				break
			}
			r.met = c
			if !r.fault.Onward {
				return r.fault.Action | faultfs.AndNoMore
			}
			return r.fault.Action
		}
		return faultfs.Continue
	})
	r.stdout, r.stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code, err = exit.ExitCode(), nil // -1 if it was killed
	}
	return calls, err
}

type finder func(kind Kind, format string, args ...any)

// judge looks at how the broken command ended.
func (st *stage) judge(r *broken, find finder) {
	if strings.Contains(r.stderr, "panic: ") || strings.Contains(r.stderr, "fatal error: ") {
		find(Wrong, "it panicked")
	}
	st.judgeExit(r, find)
	for name, text := range r.after {
		_, dir := strings.CutSuffix(name, "/")
		if !dir && text != r.before[name] && text != st.fresh[name] && name != manifest.Name {
			find(Wrong, "%s is neither as it was nor as it shall be: %.80q", name, text)
		}
	}
	if root, err := os.ReadFile(filepath.Join(st.out, manifest.Name)); err == nil {
		for _, err := range manifest.Read(root, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(st.out, name)) }) {
			if err != nil {
				find(Wrong, "manifest: %v", err)
			}
		}
	}
}

// judgeExit looks at what the broken command said of itself.
func (st *stage) judgeExit(r *broken, find finder) {
	if r.killed() {
		return
	}
	want := st.fresh
	if st.scene.verb != nil {
		want = cooktest.Tree{}
	}
	fails := len(st.scene.theirs) > 0
	switch {
	case r.code == 0 && fails:
		find(Wrong, "exit 0 over files that are the user's")
	case r.code == 0:
		find(Wrong, "%s", diff("exit 0, but the outputs are not those from scratch", want, r.after))
	case r.code != 1 && r.code != 2:
		find(Wrong, "exit %d, want 1 or 2", r.code)
	case fails: // in any case, and says so
	case r.met.N == 0 || r.fault.Harmless:
		find(Wrong, "exit %d", r.code)
	case !st.says(r):
		find(Silent, "exit %d, and no line says where and why", r.code)
	}
}

// says reports whether an error line names a file or folder and the cause.
func (st *stage) says(r *broken) bool {
	cause := syscall.Errno(r.fault.Action).Error()
	for line := range strings.Lines(r.stderr) {
		if !strings.Contains(line, cause) {
			continue
		}
		if strings.Contains(line, st.dir) {
			return true
		}
		for _, tree := range []cooktest.Tree{r.before, r.after, st.fresh} {
			for name := range tree {
				if strings.Contains(line, strings.TrimSuffix(name, "/")) {
					return true
				}
			}
		}
		for _, root := range []string{st.src, st.out} {
			if rel, err := filepath.Rel(root, r.met.Path); err == nil && rel != "." && strings.Contains(line, rel) {
				return true
			}
		}
	}
	return false
}

// mend cooks twice, unbroken: the first time makes all good, the second time has
// nothing to do.
func (st *stage) mend(ctx context.Context, want cooktest.Tree, find finder) error {
	const last = "the one after that"
	for _, turn := range []string{"the next cook", last} {
		cmd := st.command(st.args()...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return err
		}
		if err != nil || turn == last && stderr.Len() > 0 {
			find(Wrong, "%s: %v\n%s", turn, err, indent(stderr.String()))
		}
		got, err := readOut(st.out)
		if err != nil {
			return err
		}
		find(Wrong, "%s", diff(turn+" does not give what is cooked from scratch", want, got))
		if turn == last && !restful.MatchString(stdout.String()) {
			find(Wrong, "%s still has work: %s", turn, stdout.String())
		}
	}
	left, err := os.ReadDir(filepath.Join(st.out, ".cook"))
	for _, e := range left {
		switch name := e.Name(); {
		case name == "history", name == "index", name == "lock", strings.HasPrefix(name, "changes-"):
		default:
			find(Wrong, ".cook/%s was left behind", name)
		}
	}
	return err
}

// restful is the summary of a run that found all as it should be.
var restful = regexp.MustCompile(`^cook: (\d+) assets: \d+ up to date, 0 cutoff, 0 restored, 0 cooked, 0 failed in `)

// readOut is ReadTree for a folder that need not be there.
func readOut(dir string) (cooktest.Tree, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return cooktest.Tree{}, nil
	}
	return cooktest.ReadTree(dir)
}

// diff is a headline over how got differs from want, "" if it does not.
func diff(headline string, want, got cooktest.Tree) string {
	d := want.Diff(got)
	if d == "" {
		return ""
	}
	return headline + ":\n" + indent(d)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
