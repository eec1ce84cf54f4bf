//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

const togetherAbout = "parallel cooks, trim, clean, a watcher and git checkout"

// together starts two to four commands at once, again and again. They cook into two output
// directories that share a store, trim, clean, verify, watch, or check out other branches of the
// assets with git. A command may fail only because of the lock, or because an asset changed while
// it was cooked. After each round, a run must produce the outputs of a run from scratch.
func together(ctx context.Context, args []string) error {
	c := concurrentRuns{rounds: rounds{workplace: workplace{name: "together"}, count: 1000, jobs: 2}}
	if c.flags("rounds").Parse(args) != nil {
		return errUsage
	}
	if err := c.openWorkplace(ctx); err != nil {
		return err
	}
	defer c.closeWorkplace()
	err := c.playAllRounds(ctx, c.newConcurrentJob)
	counted := fmt.Sprintf("%d rounds, %d commands, %d found the lock taken, %d assets changed while they were cooked",
		c.done.Load(), c.commands.Load(), c.locked.Load(), c.changed.Load())
	return c.printLastLine(ctx, err, counted, c.locked.Load(), "commands that found the lock taken")
}

type concurrentRuns struct {
	rounds
	commands, locked, changed atomic.Int64
}

// newConcurrentJob returns a job with its own tree.
func (c *concurrentRuns) newConcurrentJob(ctx context.Context, n int) (job, error) {
	s := c.newJobScene(filepath.Join(c.dir, fmt.Sprintf("job%d", n)), uint64(n))
	s.moreRules = slowRule
	other := *s
	other.out += "2"
	both := []*scene{s, &other}
	round := func(ctx context.Context) error {
		if err := c.runTogetherOnce(ctx, s, &other); err != nil {
			return err
		}
		for _, at := range both {
			if err := at.checkScene(ctx); err != nil {
				return fmt.Errorf("afterwards, in %s: %w", at.out, err)
			}
		}
		return nil
	}
	return job{scenes: both, round: round}, c.branches(ctx, s)
}

// slowRule is a rule that cooks some of the files with a slow tool.
const slowRule = `
[[rule]]
match = "notes/*.txt"
command = ["sh", "-c", "sleep 0.01; cat \"$1\" >\"$2\"", "sh", "{in}", "{out}"]
outputs = ["{name}"]
`

// branchCount is the number of branches of the assets.
const branchCount = 3

// branches creates the assets in a git repository whose branches have the same rules.
func (c *concurrentRuns) branches(ctx context.Context, s *scene) error {
	if err := s.writeFirstSources(); err != nil {
		return err
	}
	rules := filepath.Join(s.assets, "cook.toml")
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(rules, append(text, s.moreRules...), 0o666); err != nil {
		return err
	}
	steps := [][]string{{"init", "-q", "-b", "b0"}, {"add", "-A"}, {"commit", "-q", "-m", "b0"}}
	for _, step := range steps {
		if err := git(ctx, s, step...); err != nil {
			return err
		}
	}
	for i := 1; i < branchCount; i++ {
		if err := git(ctx, s, "checkout", "-q", "-b", fmt.Sprint("b", i)); err != nil {
			return err
		}
		if err := c.editUntilCooked(ctx, s); err != nil {
			return err
		}
		for _, step := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "edits"}} {
			if err := git(ctx, s, step...); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(s.store, 0o777)
}

// editUntilCooked edits the assets until a cook succeeds without failures.
func (c *concurrentRuns) editUntilCooked(ctx context.Context, s *scene) error {
	for {
		for _, edit := range []func() error{s.overwrite, s.overwrite, s.rewriteRandomSource, s.removeRandomSource, s.renameRandomSource, s.createRandomSource, s.createRandomSource, s.swapRandomSources} {
			if err := edit(); err != nil {
				return err
			}
		}
		_, summary, err := s.cookSceneFromScratch(ctx)
		if err != nil || summary.Failed.Assets == 0 {
			return err
		}
		if err := errors.Join(git(ctx, s, "checkout", "-q", "-f", "."), git(ctx, s, "clean", "-q", "-f", "-d")); err != nil {
			return err
		}
	}
}

// git runs git on the assets without the user's configuration. The repository is outside of the
// asset directory, so that edits do not affect it.
func git(ctx context.Context, s *scene, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", s.assets, "--git-dir", s.assets + ".git", "--work-tree", ".",
		"-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "gc.auto=0"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if text, err := cmd.CombinedOutput(); err != nil {
		return sceneError(fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, text))
	}
	return nil
}

// A concurrentRun is a command of a round, with its allowed exit statuses.
type concurrentRun struct {
	cmd   *exec.Cmd
	codes []int
	out   bytes.Buffer
}

// runTogetherOnce starts some commands at once and waits for all of them.
func (c *concurrentRuns) runTogetherOnce(ctx context.Context, s, other *scene) error {
	choices := []struct {
		often int
		at    *scene
		args  []string
		codes []int
	}{
		{4, s, nil, []int{0, 4}}, {4, s, []string{"-wait"}, []int{0}}, {2, s, []string{"-wait", "-a"}, []int{0}},
		{2, s, []string{"-wait", "notes/*"}, []int{0}}, {3, other, nil, []int{0, 4}}, {2, other, []string{"-wait", "-verify"}, []int{0}},
		{1, s, []string{"-n"}, []int{0}}, {2, s, []string{"trim"}, []int{0}}, {2, s, []string{"clean"}, []int{0, 4}},
		{1, s, []string{"verify"}, []int{0, 2, 3, 4}}, // status 2 means that nothing has been cooked yet
	}
	var crowd []int
	for i, choice := range choices {
		crowd = append(crowd, slices.Repeat([]int{i}, choice.often)...)
	}
	checkout := s.rng.IntN(2) == 0
	var runs []*concurrentRun
	for range 2 + s.rng.IntN(3) {
		choice := choices[crowd[s.rng.IntN(len(crowd))]]
		cmd := choice.at.cookCommand(ctx, choice.args...)
		if len(choice.args) > 0 {
			switch choice.args[0] {
			case "trim":
				cmd.Args = []string{cmd.Path, "trim", "-cache", s.store, "-cache-size", fmt.Sprint(1 + s.rng.IntN(3_000_000))}
			case "clean", "verify":
				cmd.Args = []string{cmd.Path, choice.args[0], "-dir", s.assets, "-out", s.out, "-cache", s.store}
			}
		}
		runs = append(runs, &concurrentRun{cmd: cmd, codes: choice.codes})
	}
	stop, err := c.startWatcher(ctx, s)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, len(runs))
	for i, g := range runs {
		group.Go(func() { errs[i] = c.waitFor(g, checkout) })
	}
	if checkout {
		err = git(ctx, s, "checkout", "-q", "-f", fmt.Sprint("b", s.rng.IntN(branchCount)))
	}
	group.Wait()
	return errors.Join(append(errs, err, stop())...)
}

// startWatcher starts a watcher in some of the rounds. The function stop stops the watcher.
func (c *concurrentRuns) startWatcher(ctx context.Context, s *scene) (stop func() error, err error) {
	if s.rng.IntN(4) > 0 {
		return func() error { return nil }, nil
	}
	cmd := s.cookCommand(ctx, "-watch")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return nil, sceneError(err)
	}
	return func() error {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		// SIGINT kills a watcher that does not handle signals yet.
		if cmd.ProcessState.ExitCode() != 130 && !endedBy(cmd, syscall.SIGINT) {
			return fmt.Errorf("the interrupted watcher: %s: %s", cmd.ProcessState, text.String())
		}
		return nil
	}, nil
}

// sourceChanged matches errors about assets that change, appear or disappear while they are cooked:
// git truncates a file before it writes to it, and changes the files and rules of a branch one
// after the other.
var sourceChanged = regexp.MustCompile(`changed while it was being cooked|no such file or directory|does not exist|file is empty|file is cut short`)

// lockProtected matches paths that the lock protects; they cannot change while a cook runs.
var lockProtected = regexp.MustCompile(`\.cook/|\bmanifest|\block\b|\boutputs?\b`)

// waitFor runs a command, and returns an error if it ends in a way that is not allowed.
func (c *concurrentRuns) waitFor(g *concurrentRun, checkout bool) error {
	g.cmd.Stdout, g.cmd.Stderr = &g.out, &g.out
	c.commands.Add(1)
	err := g.cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return sceneError(err)
	}
	code := g.cmd.ProcessState.ExitCode()
	text := g.out.String()
	wrong := fmt.Errorf("%s exit %d: %s", strings.Join(g.cmd.Args[1:], " "), code, text)
	switch {
	case strings.Contains(text, "moved away") || strings.Contains(text, "not made by cook") || strings.Contains(text, "bug in cook"):
		return wrong
	case code == 4:
		c.locked.Add(1)
	case code == 1 && checkout:
		moved := int64(0)
		for line := range strings.Lines(text) {
			if !problemLine.MatchString(line) {
				continue
			}
			if !sourceChanged.MatchString(line) || lockProtected.MatchString(line) {
				return wrong
			}
			moved++
		}
		if moved == 0 { // no line contains the reason
			return wrong
		}
		c.changed.Add(moved)
		return nil
	}
	if !slices.Contains(g.codes, code) {
		return wrong
	}
	return nil
}
