//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A scene is an asset tree with its outputs, and makes random edits.
type scene struct {
	assets, out, store string
	scratch            string
	program            string
	args               []string // additional flags for cook
	rng                *rand.Rand
	moreRules          string   // appended to every cook.toml
	user               uint32   // user ID that runs the command; 0 is the current user
	log                []string // actions since the last check, for messages about failures
	recent             []string // sources edited since the last check
	fresh              int      // number of the newest file
}

// sizes are the sizes of the files that fill adds, in bytes. They are larger than a block or
// extent, so that a power cut can lose a part of a file.
var sizes = map[string]int{
	"big/a.txt": 40_000, "big/b.bin": 300_000, "big/c.raw": 1 << 20, "big/d.txt": 4096,
	"twin1/a.txt": 3000, "twin2/a.txt": 3000, "twin1/b.bin": 60_000, "twin2/b.bin": 60_000, // a link points to one of the two directories
}

// writeFirstSources writes the initial assets.
func (s *scene) writeFirstSources() error {
	if err := oracle.Sample(s.assets); err != nil {
		return err
	}
	for name, size := range sizes {
		if err := s.write(filepath.Join(s.assets, filepath.FromSlash(name)), s.letters(size)); err != nil {
			return err
		}
	}
	return s.retargetRandomLink()
}

func (s *scene) letters(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(s.rng.IntN(26))
	}
	return b
}

func (s *scene) addSceneNote(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// An ending is the result of running the command.
type ending struct {
	code           int // -1 if it was killed
	stdout, stderr string
	took           time.Duration
}

// cookCommand prepares a run of the command.
func (s *scene) cookCommand(ctx context.Context, more ...string) *exec.Cmd {
	args := append([]string{"-dir", s.assets, "-out", s.out, "-cache", s.store}, s.args...)
	cmd := exec.CommandContext(ctx, s.program, append(args, more...)...)
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = 10 * time.Second // limits the wait for a tool that keeps running after cook has ended
	if s.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.user, Gid: s.user}}
	}
	return cmd
}

// run runs the command. It returns an error if the command could not be run (errScene), or if the
// command or one of its tools did not end in time.
func (s *scene) run(ctx context.Context, more ...string) (ending, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	var out, err bytes.Buffer
	cmd := s.cookCommand(ctx, more...)
	cmd.Stdout, cmd.Stderr = &out, &err
	begin := time.Now()
	runErr := cmd.Run()
	end := ending{stdout: out.String(), stderr: err.String(), took: time.Since(begin)}
	s.addSceneNote("cook %s: %s", strings.Join(more, " "), strings.TrimSpace(end.stderr+end.stdout))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return end, fmt.Errorf("cook did not end: %w", ctx.Err())
	case errors.As(runErr, &exit):
		end.code = exit.ExitCode()
	case errors.Is(runErr, exec.ErrWaitDelay):
		return end, fmt.Errorf("a program is still running after cook ended: %w", runErr)
	case runErr != nil:
		return end, sceneError(runErr)
	}
	return end, nil
}

// endedBy reports whether a signal has ended a command. Wait must have returned.
func endedBy(cmd *exec.Cmd, signal syscall.Signal) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == signal
}

// cookSceneFromScratch cooks the same sources into new directories.
func (s *scene) cookSceneFromScratch(ctx context.Context) (oracle.Tree, cook.Summary, error) {
	dir, err := os.MkdirTemp(s.scratch, "scratch")
	if err != nil {
		return nil, cook.Summary{}, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out")
	summary, err := oracle.Run{Dir: s.assets, Out: out, Cache: filepath.Join(dir, "store"), Workers: 1}.Cook(ctx)
	if err != nil {
		return nil, summary, fmt.Errorf("from scratch: %w", err)
	}
	tree, err := oracle.ReadTree(out)
	return tree, summary, err
}

var (
	summaryLine = regexp.MustCompile(`(?m)^cook: \d+ assets?(: .*)? in \d`)
	problemLine = regexp.MustCompile(`^[^ ].*: (error|warning): `)
	// noopLine matches the summary of a run that had nothing to do.
	noopLine = regexp.MustCompile(`(?m)^cook: \d+ assets?(?:: (?:(\d+) up to date)?(?:, )?(?:(\d+) failed)?)? in \d`)
)

// checkScene cooks twice. It returns an error unless the outputs equal the outputs of a cook from
// scratch and the second run had nothing to do.
func (s *scene) checkScene(ctx context.Context) error {
	want, summary, err := s.cookSceneFromScratch(ctx)
	if err != nil {
		return err
	}
	code := 0
	if summary.Failures() > 0 {
		code = 1
	}
	for i := range 2 {
		end, err := s.run(ctx)
		if err != nil {
			return err
		}
		if end.code != code {
			return fmt.Errorf("run %d: exit %d, want %d: %s", i+1, end.code, code, end.stderr)
		}
		if strings.Contains(end.stderr, "not made by cook") || strings.Contains(end.stderr, "moved away") {
			return fmt.Errorf("run %d treats owned outputs as foreign: %s", i+1, end.stderr)
		}
		got, err := oracle.ReadTree(s.out)
		if err != nil {
			return err
		}
		if diff := want.Diff(got); diff != "" {
			return fmt.Errorf("run %d: wrong outputs:\n%s", i+1, diff)
		}
		if !summaryLine.MatchString(end.stdout) {
			return fmt.Errorf("run %d has no summary: %s", i+1, end.stdout)
		}
		m := noopLine.FindStringSubmatch(end.stdout)
		if i == 1 && (m == nil || m[1] != shown(summary.Found.Assets-summary.Failed.Assets) || m[2] != shown(summary.Failed.Assets)) {
			return fmt.Errorf("the second run did work: %s", end.stdout)
		}
	}
	return s.leftovers()
}

// shown formats a count as in a summary: "" if it is 0.
func shown(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// readSceneOutputs reads the output directory as a tree. The tree is empty if the directory does
// not exist.
func (s *scene) readSceneOutputs() (oracle.Tree, error) {
	tree, err := oracle.ReadTree(s.out)
	if errors.Is(err, os.ErrNotExist) {
		return oracle.Tree{}, nil
	}
	return tree, err
}

// checkOutputs returns an error if an output occurs in none of the given trees and differs from a
// cook from scratch. The manifest lists the outputs of a partial run, so only its syntax is
// checked.
func (s *scene) checkOutputs(ctx context.Context, seen ...oracle.Tree) error {
	now, err := s.readSceneOutputs()
	if err != nil {
		return err
	}
	scratch, _, err := s.cookSceneFromScratch(ctx)
	if err != nil {
		return err
	}
	seen = append(seen, scratch)
	for name, is := range now {
		if strings.HasPrefix(name, "manifest") || strings.HasSuffix(name, "/") {
			continue
		}
		might := func(t oracle.Tree) bool { was, there := t[name]; return there && is == was }
		if !slices.ContainsFunc(seen, might) {
			return fmt.Errorf("output %s is partially written: %.60q of %d bytes; from scratch it has %d", name, is, len(is), len(scratch[name]))
		}
	}
	manifest, err := os.ReadFile(filepath.Join(s.out, "manifest.json"))
	if err == nil && !json.Valid(manifest) {
		return fmt.Errorf("manifest.json is partially written: %.60q of %d bytes", manifest, len(manifest))
	}
	return nil
}

// leftovers returns an error if there are temporary files of a run in the state directory.
func (s *scene) leftovers() error {
	state, err := os.ReadDir(filepath.Join(s.out, ".cook"))
	if err != nil {
		return err
	}
	changes := 0
	for _, e := range state {
		switch name := e.Name(); {
		case name == "earlier", name == "history", name == "index", name == "last.log", name == "lock", name == "noted", name == "owner", name == "socket":
		case strings.HasPrefix(name, "changes-"):
			changes++
		default:
			return fmt.Errorf("left behind: .cook/%s", name)
		}
	}
	if changes > 1 {
		return fmt.Errorf("left behind: %d changes", changes)
	}
	return nil
}

// empty removes the contents of a directory, but not the directory itself.
func empty(dir string) error {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// emptySceneDirs removes the contents of the output directory and the store, but not these
// directories, which may be mount points.
func (s *scene) emptySceneDirs() error { return errors.Join(empty(s.out), empty(s.store)) }

// errScene means that the campaign itself failed, not a check.
var errScene = errors.New("cannot set up the scene")

func sceneError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errScene, err)
}
