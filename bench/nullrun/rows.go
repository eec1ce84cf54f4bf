package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A plan is a row that is yet to be made ready: making it ready takes time and
// disk, and may turn out not to be possible.
type plan struct {
	name string
	make func(ctx context.Context) (Row, error)
}

// errLeftOut is why a row is not there although nothing is wrong.
type errLeftOut string

func (e errLeftOut) Error() string { return string(e) }

// Names of contestants that more than one row or the report asks for.
const (
	oursName    = "cook"
	nothingName = "cook, nothing changed"
	oneByOne    = "nothing changed, outputs one by one"
)

// slowFrom is the size from which slow peers are left out unless they are asked for.
const slowFrom = 1_000_000

// treeRows are the rows of a tree in the order in which they must be held: the
// later ones change it.
func (b *bench) treeRows(t *Tree) []plan {
	return []plan{
		{"nothing changed, sources only", func(ctx context.Context) (Row, error) { return b.sourcesOnly(ctx, t) }},
		{oneByOne, func(ctx context.Context) (Row, error) { return b.nothing(ctx, t) }},
		{"nothing changed, peers", func(ctx context.Context) (Row, error) { return b.peers(ctx, t) }},
		{"nothing changed, beside a watcher", func(ctx context.Context) (Row, error) { return b.watched(ctx, t) }},
		{"all touched", func(ctx context.Context) (Row, error) { return b.touched(ctx, t) }},
		{"one file changed", func(ctx context.Context) (Row, error) { return b.oneFile(t), nil }},
	}
}

func (b *bench) sourcesOnly(ctx context.Context, t *Tree) (Row, error) {
	c := b.kitchen.contestant("cook -outputs folder", t, t.Files, 0, "-outputs", "folder")
	r, err := b.run(ctx, c.Command)
	if err != nil {
		return Row{}, err
	}
	if r.Exit == 2 {
		return Row{}, errLeftOut("this cook has no flag -outputs")
	}
	limits, err := b.limits.stat(ctx, t, t.Assets())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

func (b *bench) nothing(ctx context.Context, t *Tree) (Row, error) {
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	c := b.kitchen.contestant(oursName, t, t.Files, 0)
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

func (b *bench) peers(ctx context.Context, t *Tree) (Row, error) {
	row := Row{Reference: oursName, WarmUp: 1, Contestants: []Contestant{b.kitchen.contestant(oursName, t, t.Files, 0)}}
	for _, p := range b.parties {
		c, err := p.contestant(ctx, t, b.all || t.Files < slowFrom)
		if ctx.Err() != nil {
			return Row{}, ctx.Err()
		}
		if err != nil {
			c.Missing = err.Error()
			fmt.Fprintln(b.log, err)
		}
		row.Contestants = append(row.Contestants, c)
	}
	return row, nil
}

// touched gives all sources another mtime before each run, so that each must be
// read to see that nothing changed.
func (b *bench) touched(ctx context.Context, t *Tree) (Row, error) {
	c := b.kitchen.contestant(oursName, t, t.Files, 0)
	c.Prepare = func(ctx context.Context, round int) error {
		if err := t.Touch(ctx, round+1); err != nil {
			return err
		}
		return settle(ctx)
	}
	limits, err := b.limits.read(ctx, t, t.Assets())
	return Row{Reference: readC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

// oneFile edits, adds and removes one file. Each round begins with a cook that is
// not counted, after which all stamps are trusted again.
func (b *bench) oneFile(t *Tree) Row {
	added := filepath.Join(t.Folder(0), "added.dat")
	source, output := filepath.Join(t.Assets(), added), filepath.Join(t.Cooked(), added)

	nothing := b.kitchen.contestant(nothingName, t, t.Files, 0)
	nothing.Prepare = func(ctx context.Context, _ int) error {
		if err := settle(ctx); err != nil {
			return err
		}
		_, err := checked(ctx, b.run, nothing.Command, nothing.Check)
		return err
	}

	add := b.kitchen.contestant("cook, one added", t, t.Files+1, 1)
	add.Prepare = func(ctx context.Context, round int) error {
		// Content that nothing else ever has: a known result would be restored.
		if err := os.WriteFile(source, t.content(0, -1-round), 0o666); err != nil {
			return err
		}
		return settle(ctx)
	}
	add.Check = both(add.Check, func(Result) error { _, err := os.Lstat(output); return err })

	remove := b.kitchen.contestant("cook, one removed", t, t.Files, 0)
	remove.Prepare = func(ctx context.Context, _ int) error {
		if err := os.Remove(source); err != nil {
			return err
		}
		return settle(ctx)
	}
	remove.Check = both(remove.Check, func(Result) error {
		if _, err := os.Lstat(output); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the output of a removed source is still there (%v)", err)
		}
		return nil
	})

	edit := b.kitchen.contestant("cook, one edited", t, t.Files, 1)
	edit.Prepare = func(ctx context.Context, round int) error {
		if err := t.Edit(round%t.Files, round+1); err != nil {
			return err
		}
		return settle(ctx)
	}
	return Row{Reference: nothingName, Contestants: []Contestant{nothing, add, remove, edit}}
}

func both(a, b func(Result) error) func(Result) error {
	return func(r Result) error { return errors.Join(a(r), b(r)) }
}

// bulkSize is the size of the files that -verify reads.
const bulkSize = 32 << 20

// verify reads all of a tree of large files, sources and outputs.
func (b *bench) verify(ctx context.Context) (Row, error) {
	if b.verifyBytes == 0 {
		return Row{}, errLeftOut("-verify-bytes is 0")
	}
	files := max(1, int(b.verifyBytes/2/bulkSize))
	t := newBulk(filepath.Join(b.dir, "bulk"), files, int(min(bulkSize, max(1, b.verifyBytes/2))))
	if err := b.kitchen.fill(ctx, t); err != nil {
		return Row{}, err
	}
	c := b.kitchen.contestant("cook -verify", t, t.Files, 0, "-verify")
	limits, err := b.limits.read(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: readC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...), Close: func() { b.remove(t.Root) }}, err
}

// start cooks nothing at all.
func (b *bench) start(context.Context) (Row, error) {
	t := newTree(filepath.Join(b.dir, "empty"), 0)
	if err := os.MkdirAll(t.Assets(), 0o777); err != nil {
		return Row{}, err
	}
	c := b.kitchen.contestant("cook of an empty folder", t, 0, 0)
	return Row{Reference: oneLine, WarmUp: 1, Contestants: []Contestant{c, b.limits.hello()}}, nil
}
