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

const togetherAbout = "cooks beside cooks, trim, clean, a watcher and git checkout"

// together starts two to four commands at once, again and again: cooks into one
// folder and into another, with one store for all, beside trim, clean, verify and
// a watcher, while git checks out other branches of the assets. Nobody may fail,
// but because of the lock, or because an asset changed while it was being cooked.
// After each round a run has to make everything as from scratch.
func together(ctx context.Context, args []string) error {
	c := party{rounds: rounds{workplace: workplace{name: "together"}, count: 1000, jobs: 2}}
	if c.flags("rounds").Parse(args) != nil {
		return errUsage
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	defer c.close()
	err := c.each(ctx, c.job)
	counted := fmt.Sprintf("%d rounds, %d commands, %d found the lock taken, %d assets changed while they were cooked",
		c.done.Load(), c.commands.Load(), c.locked.Load(), c.changed.Load())
	return c.over(ctx, err, counted, c.locked.Load(), "commands that found the lock taken")
}

type party struct {
	rounds
	commands, locked, changed atomic.Int64
}

// job does rounds on a tree of its own.
func (c *party) job(ctx context.Context, n int) (job, error) {
	s := c.scene(filepath.Join(c.dir, fmt.Sprintf("job%d", n)), uint64(n))
	s.moreRules = slowRule
	other := *s
	other.out += "2"
	both := []*scene{s, &other}
	round := func(ctx context.Context) error {
		if err := c.round(ctx, s, &other); err != nil {
			return err
		}
		for _, at := range both {
			if err := at.check(ctx); err != nil {
				return fmt.Errorf("afterwards, in %s: %w", at.out, err)
			}
		}
		return nil
	}
	return job{scenes: both, round: round}, c.branches(ctx, s)
}

// slowRule has a program that takes its time cook some of the files.
const slowRule = `
[[rule]]
match = "notes/*.txt"
command = ["sh", "-c", "sleep 0.01; cat \"$1\" >\"$2\"", "sh", "{in}", "{out}"]
outputs = ["{name}"]
`

// branchCount is how many branches the assets have.
const branchCount = 3

// branches makes the assets, a git repository with some branches. All have the
// same rules.
func (c *party) branches(ctx context.Context, s *scene) error {
	if err := s.fill(); err != nil {
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
		if err := c.grow(ctx, s); err != nil {
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

// grow edits the assets until they are others that cook without failures.
func (c *party) grow(ctx context.Context, s *scene) error {
	for {
		for _, edit := range []func() error{s.overwrite, s.overwrite, s.rewrite, s.remove, s.rename, s.create, s.create, s.swap} {
			if err := edit(); err != nil {
				return err
			}
		}
		_, summary, err := s.fromScratch(ctx)
		if err != nil || summary.Failed.Assets == 0 {
			return err
		}
		if err := errors.Join(git(ctx, s, "checkout", "-q", "-f", "."), git(ctx, s, "clean", "-q", "-f", "-d")); err != nil {
			return err
		}
	}
}

// git runs git on the assets, by nobody's configuration. What it keeps lies
// elsewhere, so that nobody edits it.
func git(ctx context.Context, s *scene, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", s.assets, "--git-dir", s.assets + ".git", "--work-tree", ".",
		"-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "gc.auto=0"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if text, err := cmd.CombinedOutput(); err != nil {
		return sceneError(fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, text))
	}
	return nil
}

// A guest is a command of a round, and how it may end.
type guest struct {
	cmd   *exec.Cmd
	codes []int
	out   bytes.Buffer
}

// round starts some commands at once and waits for all of them.
func (c *party) round(ctx context.Context, s, other *scene) error {
	choices := []struct {
		often int
		at    *scene
		args  []string
		codes []int
	}{
		{4, s, nil, []int{0, 4}}, {4, s, []string{"-wait"}, []int{0}}, {2, s, []string{"-wait", "-a"}, []int{0}},
		{2, s, []string{"-wait", "notes/*"}, []int{0}}, {3, other, nil, []int{0, 4}}, {2, other, []string{"-wait", "-verify"}, []int{0}},
		{1, s, []string{"-n"}, []int{0}}, {2, s, []string{"trim"}, []int{0}}, {2, s, []string{"clean"}, []int{0, 4}},
		{1, s, []string{"verify"}, []int{0, 2, 3, 4}}, // 2 if nothing was cooked yet,
	}
	var crowd []int
	for i, choice := range choices {
		crowd = append(crowd, slices.Repeat([]int{i}, choice.often)...)
	}
	checkout := s.rng.IntN(2) == 0
	var guests []*guest
	for range 2 + s.rng.IntN(3) {
		choice := choices[crowd[s.rng.IntN(len(crowd))]]
		cmd := choice.at.command(ctx, choice.args...)
		if len(choice.args) > 0 {
			switch choice.args[0] {
			case "trim":
				cmd.Args = []string{cmd.Path, "trim", "-cache", s.store, "-cache-size", fmt.Sprint(1 + s.rng.IntN(3_000_000))}
			case "clean", "verify":
				cmd.Args = []string{cmd.Path, choice.args[0], "-dir", s.assets, "-out", s.out, "-cache", s.store}
			}
		}
		guests = append(guests, &guest{cmd: cmd, codes: choice.codes})
	}
	stop, err := c.watchman(ctx, s)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, len(guests))
	for i, g := range guests {
		group.Go(func() { errs[i] = c.serve(g, checkout) })
	}
	if checkout {
		err = git(ctx, s, "checkout", "-q", "-f", fmt.Sprint("b", s.rng.IntN(branchCount)))
	}
	group.Wait()
	return errors.Join(append(errs, err, stop())...)
}

// watchman starts a watcher in some of the rounds. stop ends it.
func (c *party) watchman(ctx context.Context, s *scene) (stop func() error, err error) {
	if s.rng.IntN(4) > 0 {
		return func() error { return nil }, nil
	}
	cmd := s.command(ctx, "-watch")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return nil, sceneError(err)
	}
	return func() error {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		// One that has not begun to listen is ended by the signal.
		if cmd.ProcessState.ExitCode() != 130 && !endedBy(cmd, syscall.SIGINT) {
			return fmt.Errorf("the watcher, interrupted: %s: %s", cmd.ProcessState, text.String())
		}
		return nil
	}, nil
}

// moving is what is said of an asset that changes, comes or goes while it is
// being cooked. git makes a file empty before it writes to it.
var moving = regexp.MustCompile(`changed while it was being cooked|no such file or directory|does not exist|file is empty`)

// kept is what the lock keeps others from: nothing of it comes or goes while a
// cook is at work.
var kept = regexp.MustCompile(`\.cook/|\bmanifest|\block\b|\boutputs?\b`)

// serve waits for a command to end, and says what is wrong with how it did.
func (c *party) serve(g *guest, checkout bool) error {
	g.cmd.Stdout, g.cmd.Stderr = &g.out, &g.out
	c.commands.Add(1)
	err := g.cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return sceneError(err)
	}
	code := g.cmd.ProcessState.ExitCode()
	text := g.out.String()
	wrong := fmt.Errorf("%s exits with %d: %s", strings.Join(g.cmd.Args[1:], " "), code, text)
	switch {
	case strings.Contains(text, "moved away") || strings.Contains(text, "not made by cook") || strings.Contains(text, "bug in cook"):
		return wrong
	case code == 4:
		c.locked.Add(1)
	case code == 1 && checkout:
		moved := int64(0)
		for line := range strings.Lines(text) {
			about, ok := strings.CutPrefix(line, "cook: ")
			if !ok || summaryLine.MatchString(line) || strings.HasSuffix(about, "waiting for it to end\n") {
				continue
			}
			if !moving.MatchString(line) || kept.MatchString(line) {
				return wrong
			}
			moved++
		}
		if moved == 0 { // then nothing says why it failed
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
