//go:build amd64 || arm64

package faults

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

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/faultfs"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A target is a fault at one system call. The numbers of calls can vary with concurrency and the
// clock. So the call is identified by its content and by the number of equal calls before it.
type target struct {
	scene string
	fault Fault
	call  callID // zero if no fault is injected
	turn  int    // number of equal calls before this call
}

// A callID identifies a system call by its name and paths. The paths are relative to the workspace
// and contain no random parts.
type callID struct{ name, path, to string }

func (ws *workspace) idOf(c faultfs.Call) callID {
	plain := func(path string) string { return randomName.ReplaceAllString(strings.TrimPrefix(path, ws.dir), "*") }
	return callID{c.Name, plain(c.Path), plain(c.To)}
}

var randomName = regexp.MustCompile("[0-9a-f]{16,}")

// An outcome is the result of one run of the command.
type outcome struct {
	calls []faultfs.Call // system calls of the command, up to the call with the fault
	met   bool           // whether the call with the fault was reached
	found []Finding
}

// A broken value holds the data of a run with an injected fault.
type broken struct {
	target
	met    faultfs.Call // zero if the call with the fault was not reached
	code   int
	stdout string
	stderr string
	before oracle.Tree
	after  oracle.Tree
}

func (r *broken) killed() bool { return r.met.N > 0 && r.fault.Action == faultfs.Kill }

// playFault sets up the scene, runs the command with a fault, and checks the result. It returns an
// error only if the sweep itself fails.
func (ws *workspace) playFault(ctx context.Context, b target) (outcome, error) {
	if err := ws.scene.begin(ws); err != nil {
		return outcome{}, err
	}
	r := broken{target: b}
	var err error
	if r.before, err = readOut(ws.out); err != nil {
		return outcome{}, err
	}
	calls, err := ws.breakOne(ctx, &r)
	if ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	o := outcome{calls: calls, met: r.met.N > 0}
	find := func(kind Kind, format string, args ...any) {
		if what := fmt.Sprintf(format, args...); what != "" {
			what += "\n" + indent(r.stderr)
			o.found = append(o.found, Finding{Scene: ws.scene.name, Fault: b.fault.Name, Call: r.met, Kind: kind, What: what})
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		find(Hang, "did not end in %v", patience)
		return o, nil
	}
	if err != nil {
		return o, err
	}
	if r.after, err = readOut(ws.out); err != nil {
		return o, err
	}
	ws.checkFaultedRun(&r, find)
	for name := range ws.scene.foreign {
		if r.after[name] != r.before[name] {
			find(Wrong, "foreign file %s was changed: %.80q", name, r.after[name])
		}
		if err := os.RemoveAll(filepath.Join(ws.out, name)); err != nil {
			return o, err
		}
	}
	want := ws.fresh
	if r.killed() {
		want = ws.later
		if err := ws.editLater(); err != nil {
			return o, err
		}
	}
	if err := ws.checkRepair(ctx, want, find); err != nil {
		return o, err
	}
	return o, ws.undo()
}

func (ws *workspace) breakOne(ctx context.Context, r *broken) ([]faultfs.Call, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args := ws.args(ws.scene.verb...)
	if ws.scene.moves {
		args = append(args, "-state", filepath.Join(ws.dir, "state"))
	}
	cmd := ws.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	turn := 0
	calls, err := faultfs.Run(ctx, cmd, []string{ws.dir}, func(c faultfs.Call) faultfs.Action {
		switch {
		case r.met.N > 0: // an earlier call already failed, and the fault is persistent
			if c.Grows {
				return r.fault.Action
			}
		case r.call.name == c.Name && r.call == ws.idOf(c):
			if turn++; turn <= r.turn {
				break
			}
			r.met = c
			if !r.fault.Persistent {
				return r.fault.Action | faultfs.AndNoMore
			}
			return r.fault.Action
		}
		return faultfs.Continue
	})
	r.stdout, r.stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code, err = exit.ExitCode(), nil // -1 if the command was killed
	}
	return calls, err
}

type finder func(kind Kind, format string, args ...any)

func (ws *workspace) checkFaultedRun(r *broken, find finder) {
	if strings.Contains(r.stderr, "panic: ") || strings.Contains(r.stderr, "fatal error: ") {
		find(Wrong, "it panicked")
	}
	ws.checkExit(r, find)
	for name, text := range r.after {
		_, dir := strings.CutSuffix(name, "/")
		if !dir && text != r.before[name] && text != ws.fresh[name] && name != manifest.Name {
			find(Wrong, "%s has neither the old nor the new content: %.80q", name, text)
		}
	}
	if root, err := os.ReadFile(filepath.Join(ws.out, manifest.Name)); err == nil {
		for _, err := range manifest.Read(root, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(ws.out, name)) }) {
			if err != nil {
				find(Wrong, "manifest: %v", err)
			}
		}
	}
}

// checkExit checks the exit status and the messages of a run with a fault.
func (ws *workspace) checkExit(r *broken, find finder) {
	if r.killed() {
		return
	}
	want := ws.fresh
	if ws.scene.verb != nil {
		want = oracle.Tree{}
	}
	fails := len(ws.scene.foreign) > 0
	switch {
	case r.code == 0 && fails:
		find(Wrong, "exit 0 despite foreign files")
	case r.code == 0:
		find(Wrong, "%s", diff("exit 0, but the outputs differ from a cook from scratch", want, r.after))
	case r.code != 1 && r.code != 2:
		find(Wrong, "exit %d, want 1 or 2", r.code)
	case fails: // the failure is expected
	case r.met.N == 0 || r.fault.Harmless:
		find(Wrong, "exit %d", r.code)
	case !ws.reportsCause(r):
		find(Silent, "exit %d, and no line contains path and cause", r.code)
	}
}

// reportsCause reports whether an error line contains a path and the cause.
func (ws *workspace) reportsCause(r *broken) bool {
	cause := syscall.Errno(r.fault.Action).Error()
	for line := range strings.Lines(r.stderr) {
		if !strings.Contains(line, cause) {
			continue
		}
		if strings.Contains(line, ws.dir) {
			return true
		}
		for _, tree := range []oracle.Tree{r.before, r.after, ws.fresh} {
			for name := range tree {
				if strings.Contains(line, strings.TrimSuffix(name, "/")) {
					return true
				}
			}
		}
		for _, root := range []string{ws.src, ws.out} {
			if rel, err := filepath.Rel(root, r.met.Path); err == nil && rel != "." && strings.Contains(line, rel) {
				return true
			}
		}
	}
	return false
}

// checkRepair cooks twice without faults. The first run must repair everything. The second must be
// a no-op run.
func (ws *workspace) checkRepair(ctx context.Context, want oracle.Tree, find finder) error {
	const last = "the one after that"
	for _, turn := range []string{"the next cook", last} {
		cmd := ws.command(ws.args()...)
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
		got, err := readOut(ws.out)
		if err != nil {
			return err
		}
		find(Wrong, "%s", diff(turn+" gives other outputs than a cook from scratch", want, got))
		if turn == last && !noopSummary.MatchString(stdout.String()) {
			find(Wrong, "%s still has work: %s", turn, stdout.String())
		}
	}
	state := filepath.Join(ws.out, ".cook")
	if info, err := os.Lstat(state); err == nil && info.Mode().IsRegular() {
		state = filepath.Join(ws.dir, "state", ".cook")
	}
	left, err := os.ReadDir(state)
	for _, e := range left {
		switch name := e.Name(); {
		case name == "earlier", name == "history", name == "index", name == "last.log", name == "lock", name == "noted", name == "outputs", name == "owner", strings.HasPrefix(name, "changes-"):
		default:
			find(Wrong, ".cook/%s was left behind", name)
		}
	}
	return err
}

// noopSummary matches the summary of a no-op run.
var noopSummary = regexp.MustCompile(`(?m)^cook: (\d+) assets?(: \d+ up to date)? in `)

// readOut is like oracle.ReadTree, but returns an empty tree if the directory does not exist.
func readOut(dir string) (oracle.Tree, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return oracle.Tree{}, nil
	}
	return oracle.ReadTree(dir)
}

// diff returns the differences between got and want, after a headline. It returns "" if got equals
// want.
func diff(headline string, want, got oracle.Tree) string {
	d := want.Diff(got)
	if d == "" {
		return ""
	}
	return headline + ":\n" + indent(d)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
