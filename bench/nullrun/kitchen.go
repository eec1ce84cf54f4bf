package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// A kitchen is the cook command that is measured.
type kitchen struct {
	bin string
	env []string
	run Runner
}

// command cooks a tree.
func (k *kitchen) command(t *Tree, flags ...string) Command {
	argv := append([]string{k.bin, "-dir", t.Assets(), "-out", t.Cooked()}, flags...)
	return Command{Argv: argv, Dir: t.Root, Env: k.env}
}

// contestant is a cook of the tree that must find files assets, of which it must
// cook so many; the others must be up to date.
func (k *kitchen) contestant(name string, t *Tree, files, cooked int, flags ...string) Contestant {
	return Contestant{Name: name, Command: k.command(t, flags...), Check: expect(files, cooked)}
}

// fill makes a tree and cooks it.
func (k *kitchen) fill(ctx context.Context, t *Tree) error {
	if err := t.Make(ctx); err != nil {
		return err
	}
	if _, err := checked(ctx, k.run, k.command(t), expect(t.Files, t.Files)); err != nil {
		return fmt.Errorf("fill the tree: %w", err)
	}
	return nil
}

// rest cooks a filled tree once more, when its stamps may be trusted, and makes
// sure that from then on they are.
func (k *kitchen) rest(ctx context.Context, t *Tree) error {
	if err := settle(ctx); err != nil {
		return err
	}
	if _, err := checked(ctx, k.run, k.command(t), expect(t.Files, 0)); err != nil {
		return fmt.Errorf("settle the tree: %w", err)
	}
	if _, err := checked(ctx, k.run, k.command(t, "-stats"), byStamp(t.Files)); err != nil {
		return fmt.Errorf("settle the tree: %w", err)
	}
	return nil
}

var summary = regexp.MustCompile(`^cook: (\d+) assets: (\d+) up to date, (\d+) cutoff, (\d+) restored, (\d+) cooked, (\d+) failed in `)

// expect checks the last line of a cook.
func expect(files, cooked int) func(Result) error {
	return func(r Result) error {
		line := lastLine(r.Stdout)
		m := summary.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("last line is no summary: %q", line)
		}
		want := []int{files, files - cooked, 0, 0, cooked, 0}
		for i, w := range want {
			if n, err := strconv.Atoi(m[i+1]); err != nil || n != w {
				return fmt.Errorf("want %d assets, %d of them cooked and the others up to date: %s", files, cooked, line)
			}
		}
		return nil
	}
}

var stamped = regexp.MustCompile(`(?m)^ *up to date by stamp +(\d+) `)

// byStamp checks the counters of a cook that opened no file.
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

// understands reports whether cook has the flag.
func (k *kitchen) understands(ctx context.Context, flag string) (bool, error) {
	r, err := k.run(ctx, Command{Argv: []string{k.bin, "help"}, Env: k.env})
	if err != nil {
		return false, err
	}
	return regexp.MustCompile(`(?m)^\s+-` + regexp.QuoteMeta(flag) + `\b`).MatchString(r.Stdout), nil
}
