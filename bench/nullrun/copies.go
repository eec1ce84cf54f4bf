package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/syncfs"
)

// fresh removes folders before each run, and waits until the disk is at rest.
func (b *bench) fresh(c Contestant, dirs ...string) Contestant {
	c.Prepare = func(ctx context.Context, _ int) error {
		for _, dir := range dirs {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		work, err := os.Open(b.dir)
		if err != nil {
			return err
		}
		return errors.Join(syncfs.Sync(work), work.Close())
	}
	return c
}

// copies returns what copies the sources, without and with waiting for the disk, which
// cook does before it writes the index.
func (b *bench) copies(t *Tree) []Contestant {
	to := filepath.Join(t.Root, "copy")
	last := filepath.Join(to, t.Path(t.Files-1))
	contestant := func(name string, argv ...string) Contestant {
		c := Contestant{Name: name, Command: Command{Argv: argv, Dir: t.Root, Env: b.cmd.env}}
		c.Check = both(silent, func(Result) error { _, err := os.Lstat(last); return err })
		return b.fresh(c, to)
	}
	cp, err := exec.LookPath("cp")
	if err != nil {
		return []Contestant{{Name: cpName, Missing: "not installed"}}
	}
	return []Contestant{
		contestant(cpName, cp, "-r", t.Assets(), to),
		contestant("cp -r and sync -f", "/bin/sh", "-c", `cp -r "$1" "$2" && sync -f "$2"`, "sh", t.Assets(), to),
	}
}

const cpName = "cp -r"

// cold cooks everything, with an empty store.
func (b *bench) cold(t *Tree) Row {
	t = t.Into("cold")
	store := filepath.Join(t.Root, "cold-store")
	c := b.fresh(b.cmd.contestant("cook, cold", t, t.Files, t.Files, "-cache", store), t.Cooked(), store)
	return Row{Reference: cpName, Contestants: append([]Contestant{c}, b.copies(t)...), Close: func() {
		for _, dir := range []string{t.Cooked(), store, filepath.Join(t.Root, "copy")} {
			b.remove(dir)
		}
	}}
}

// restored cooks into a folder that was removed, with a store that knows all results.
func (b *bench) restored(t *Tree) Row {
	t = t.Into("restored")
	c := b.fresh(b.cmd.contestant("cook, outputs deleted", t, t.Files, 0), t.Cooked())
	c.Check = outcomes(t.Files, t.Files, 0)
	return Row{Reference: cpName, Contestants: append([]Contestant{c}, b.copies(t)...), Close: func() {
		b.remove(t.Cooked())
		b.remove(filepath.Join(t.Root, "copy"))
	}}
}

// targets cooks for two targets in turn, with nothing changed for either.
func (b *bench) targets(ctx context.Context, t *Tree) (Row, error) {
	t = t.Into("targets")
	names := []string{"one", "two"}
	clean := func() { b.remove(t.Cooked()) }
	for round := range 2 {
		for _, name := range names {
			check := outcomes(t.Files, t.Files, 0)
			if round > 0 {
				check = expect(t.Files, 0)
			}
			if _, err := checked(ctx, b.run, b.cmd.command(t, "-target", name), check); err != nil {
				return Row{Close: clean}, err
			}
		}
		if err := settle(ctx); err != nil {
			return Row{Close: clean}, err
		}
	}
	row := Row{Reference: statC, WarmUp: 1, Close: clean}
	for _, name := range names {
		row.Contestants = append(row.Contestants, b.cmd.contestant("cook -target "+name, t, t.Files, 0, "-target", name))
	}
	limits, err := b.limits.stat(ctx, t, t.Assets(), filepath.Join(t.Cooked(), names[0]))
	row.Contestants = append(row.Contestants, limits...)
	return row, err
}
