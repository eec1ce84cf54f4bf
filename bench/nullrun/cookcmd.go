package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A cookCommand is the measured cook binary.
type cookCommand struct {
	bin string
	env []string
	run Runner
}

// verb is a verb of cook with its arguments. Trees of different sizes have files with equal
// contents, so each tree has its own store.
func (c *cookCommand) verb(t *Tree, argv ...string) Command {
	env := append(slices.Clone(c.env), "COOKCACHE="+filepath.Join(t.Root, "store"))
	return Command{Argv: append([]string{c.bin}, argv...), Dir: t.Root, Env: env}
}

// command cooks a tree, or the files that patterns after the flags match.
func (c *cookCommand) command(t *Tree, flags ...string) Command {
	return c.verb(t, append([]string{"-dir", t.Assets(), "-out", t.Cooked()}, flags...)...)
}

// contestant returns a cook of the tree that must find the given number of assets and cook some
// of them; the others must be up to date.
func (c *cookCommand) contestant(name string, t *Tree, files, cooked int, flags ...string) Contestant {
	return Contestant{Name: name, Command: c.command(t, flags...), Check: expect(files, cooked)}
}

// verified returns a cook verify of a cooked tree, which cooks nothing again.
func (c *cookCommand) verified(name string, t *Tree) Contestant {
	command := c.verb(t, "verify", "-dir", t.Assets(), "-out", t.Cooked(), "-sample", "0")
	return Contestant{Name: name, Command: command, Check: func(r Result) error {
		line := lastLine(r.Stdout)
		if !strings.HasPrefix(line, fmt.Sprintf("cook: verified %d outputs (", t.Files)) || !strings.Contains(line, ": 0 differences in ") {
			return fmt.Errorf("want %d outputs without differences: %q", t.Files, line)
		}
		return nil
	}}
}

// fill makes a tree and cooks it.
func (c *cookCommand) fill(ctx context.Context, t *Tree) error {
	if err := t.Make(ctx); err != nil {
		return err
	}
	if _, err := checked(ctx, c.run, c.command(t), expect(t.Files, t.Files)); err != nil {
		return fmt.Errorf("fill the tree: %w", err)
	}
	return nil
}

// rest cooks a filled tree again once its stamps can be trusted, until a run trusts all of them:
// a cook may find a few of a thousand files busy.
func (c *cookCommand) rest(ctx context.Context, t *Tree) (err error) {
	for range restTries {
		if err := settle(ctx); err != nil {
			return err
		}
		if _, err := checked(ctx, c.run, c.command(t), expect(t.Files, 0)); err != nil {
			return fmt.Errorf("settle the tree: %w", err)
		}
		var r Result
		if r, err = checked(ctx, c.run, c.command(t, "-stats"), expect(t.Files, 0)); err != nil {
			return fmt.Errorf("settle the tree: %w", err)
		}
		if err = byStamp(t.Files)(r); err == nil {
			return nil
		}
	}
	return fmt.Errorf("settle the tree: %w", err)
}

const restTries = 5

var summary = regexp.MustCompile(`^cook: (\d+) assets?:?(?: (\d+) up to date,?)?(?: (\d+) unchanged,?)?(?: (\d+) restored,?)?(?: (\d+) cooked,?)?(?: (\d+) failed)? in `)

// expect checks the summary line of a cook.
func expect(files, cooked int) func(Result) error { return outcomes(files, 0, cooked) }

// outcomes checks the summary line of a cook that also restores some results.
func outcomes(files, restored, cooked int) func(Result) error {
	return func(r Result) error {
		line := lastLine(r.Stdout)
		m := summary.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("last line is not a summary: %q", line)
		}
		want := []int{files, files - restored - cooked, 0, restored, cooked, 0}
		for i, w := range want {
			if n, _ := strconv.Atoi(m[i+1]); n != w { // the number is missing if it is 0
				return fmt.Errorf("want %d assets, %d of them cooked, %d restored and the others up to date: %s", files, cooked, restored, line)
			}
		}
		return nil
	}
}

var stamped = regexp.MustCompile(`(?m)^ *up to date by stamp +(\d+) `)

// byStamp checks by its counters that a cook opened no file.
func byStamp(files int) func(Result) error {
	return func(r Result) error {
		m := stamped.FindStringSubmatch(r.Stdout)
		if m == nil {
			return errors.New("-stats prints no line \"up to date by stamp\"")
		}
		if m[1] != strconv.Itoa(files) {
			return fmt.Errorf("%s of %d assets are up to date by stamp", m[1], files)
		}
		return nil
	}
}

// hasFlag reports whether cook has the flag.
func (c *cookCommand) hasFlag(ctx context.Context, flag string) (bool, error) {
	r, err := c.run(ctx, Command{Argv: []string{c.bin, "help"}, Env: c.env})
	if err != nil {
		return false, err
	}
	return regexp.MustCompile(`(?m)^\s+-` + regexp.QuoteMeta(flag) + `\b`).MatchString(r.Stdout), nil
}
