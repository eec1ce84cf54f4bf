package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// A plan is a row that is not set up yet. The setup takes time and disk space, and may fail.
type plan struct {
	name string
	make func(ctx context.Context) (Row, error)
}

// errSkipped explains why a row was skipped without a failure.
type errSkipped string

func (e errSkipped) Error() string { return string(e) }

// These are the names of contestants that several rows or the report use.
const (
	cookName = "cook"
	noopName = "cook, nothing changed"
)

// slowFrom is the tree size from which slow peers run only with -all.
const slowFrom = 1_000_000

// treeRows returns the rows for a tree. Their order matters, because later rows change the tree.
func (b *bench) treeRows(t *Tree) []plan {
	return []plan{
		{"nothing changed, sources only", func(ctx context.Context) (Row, error) { return b.sourcesOnly(ctx, t) }},
		{"nothing changed, outputs one by one", func(ctx context.Context) (Row, error) { return b.nothing(ctx, t) }},
		{"nothing changed, peers", func(ctx context.Context) (Row, error) { return b.peers(ctx, t) }},
		{"nothing changed, JSON", func(ctx context.Context) (Row, error) { return b.asJSON(ctx, t) }},
		{"nothing changed, one directory", func(ctx context.Context) (Row, error) { return b.oneFolder(ctx, t) }},
		{"why", func(context.Context) (Row, error) { return b.question(t), nil }},
		{"nothing changed, beside a watcher", func(ctx context.Context) (Row, error) { return b.watched(ctx, t) }},
		{"all touched", func(ctx context.Context) (Row, error) { return b.touched(ctx, t) }},
		{"one file changed", func(ctx context.Context) (Row, error) { return b.oneFile(t), nil }},
		{"watcher, save to artifact", func(ctx context.Context) (Row, error) { return b.saved(ctx, t) }},
		{"comment in cook.toml", func(ctx context.Context) (Row, error) { return b.comment(ctx, t) }},
		{"cold", func(context.Context) (Row, error) { return b.cold(t), nil }},
		{"deleted outputs restored", func(context.Context) (Row, error) { return b.restored(t), nil }},
		{"nothing changed, targets in turn", func(ctx context.Context) (Row, error) { return b.targets(ctx, t) }},
		{"rule edited for 10 files", func(ctx context.Context) (Row, error) { return b.rule(ctx, t) }},
	}
}

// contents returns a row that reads all sources and outputs of a tree with files of a few KiB. It
// compares cook -verify with cook verify. The latter also computes BLAKE3 and lists the tree.
func (b *bench) contents(ctx context.Context, files int) (Row, error) {
	t := newPages(filepath.Join(b.dir, "pages"+strconv.Itoa(files)), files)
	if err := b.cmd.fill(ctx, t); err != nil {
		return Row{}, err
	}
	if err := b.cmd.rest(ctx, t); err != nil {
		return Row{}, err
	}
	limits, err := b.limits.readContestants(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: readC, WarmUp: 1, Contestants: append([]Contestant{
		b.cmd.contestant("cook -verify", t, t.Files, 0, "-verify"),
		b.cmd.verified("cook verify -sample 0", t),
	}, limits...), Close: func() { b.remove(t.Root) }}, err
}

func (b *bench) sourcesOnly(ctx context.Context, t *Tree) (Row, error) {
	c := b.cmd.contestant("cook -outputs folder", t, t.Files, 0, "-outputs", "folder")
	r, err := b.run(ctx, c.Command)
	if err != nil {
		return Row{}, err
	}
	if r.Exit == 2 {
		return Row{}, errSkipped("this cook has no flag -outputs")
	}
	limits, err := b.limits.stat(ctx, t, t.Assets())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

func (b *bench) nothing(ctx context.Context, t *Tree) (Row, error) {
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	c := b.cmd.contestant(cookName, t, t.Files, 0)
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

func (b *bench) peers(ctx context.Context, t *Tree) (Row, error) {
	row := Row{Reference: cookName, WarmUp: 1, Contestants: []Contestant{b.cmd.contestant(cookName, t, t.Files, 0)}, Close: func() {
		for _, p := range b.peerTools {
			b.remove(p.dir(t))
		}
	}}
	for _, p := range b.peerTools {
		c, err := p.contestant(ctx, t, b.all || t.Files < slowFrom)
		if ctx.Err() != nil {
			return row, ctx.Err()
		}
		if err != nil {
			c.Missing = err.Error()
			fmt.Fprintln(b.log, err)
		}
		row.Contestants = append(row.Contestants, c)
	}
	return row, nil
}

// touched returns a row that changes the mtime of all sources before each run, so cook must read
// each source.
func (b *bench) touched(ctx context.Context, t *Tree) (Row, error) {
	c := b.cmd.contestant(cookName, t, t.Files, 0)
	c.Prepare = func(ctx context.Context, round int) error {
		if err := t.Touch(ctx, round+1); err != nil {
			return err
		}
		return settle(ctx)
	}
	limits, err := b.limits.readContestants(ctx, t, t.Assets())
	return Row{Reference: readC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

// oneFile returns a row that edits, adds and removes one file. Each round begins with an uncounted
// run. Cook trusts all stamps after this run.
func (b *bench) oneFile(t *Tree) Row {
	added := filepath.Join(t.Folder(0), "added.dat")
	source, output := filepath.Join(t.Assets(), added), filepath.Join(t.Cooked(), added)

	nothing := b.cmd.contestant(noopName, t, t.Files, 0)
	nothing.Prepare = func(ctx context.Context, _ int) error {
		if err := settle(ctx); err != nil {
			return err
		}
		_, err := checked(ctx, b.run, nothing.Command, nothing.Check)
		return err
	}

	add := b.cmd.contestant("cook, one added", t, t.Files+1, 1)
	add.Prepare = func(ctx context.Context, round int) error {
		// The content must be new. Otherwise cook would restore a result from its store.
		if err := os.WriteFile(source, t.content(0, -1-round), 0o666); err != nil {
			return err
		}
		return settle(ctx)
	}
	add.Check = both(add.Check, func(Result) error { _, err := os.Lstat(output); return err })

	remove := b.cmd.contestant("cook, one removed", t, t.Files, 0)
	remove.Prepare = func(ctx context.Context, _ int) error {
		if err := os.Remove(source); err != nil {
			return err
		}
		return settle(ctx)
	}
	remove.Check = both(remove.Check, func(Result) error {
		if _, err := os.Lstat(output); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the output of a removed source still exists (%v)", err)
		}
		return nil
	})

	edit := b.cmd.contestant("cook, one edited", t, t.Files, 1)
	edit.Prepare = func(ctx context.Context, round int) error {
		if err := t.Edit(round%t.Files, round+1); err != nil {
			return err
		}
		return settle(ctx)
	}
	return Row{Reference: noopName, Contestants: []Contestant{nothing, add, remove, edit}}
}

func both(a, b func(Result) error) func(Result) error {
	return func(r Result) error { return errors.Join(a(r), b(r)) }
}

// bulkSize is the size of the files that verify reads.
const bulkSize = 32 << 20

// verify returns a row that reads all sources and outputs of a tree of large files.
func (b *bench) verify(ctx context.Context) (Row, error) {
	if b.verifyBytes == 0 {
		return Row{}, errSkipped("-verify-bytes is 0")
	}
	files := max(1, int(b.verifyBytes/2/bulkSize))
	t := newBulk(filepath.Join(b.dir, "bulk"), files, int(min(bulkSize, max(1, b.verifyBytes/2))))
	if err := b.cmd.fill(ctx, t); err != nil {
		return Row{}, err
	}
	c := b.cmd.contestant("cook -verify", t, t.Files, 0, "-verify")
	limits, err := b.limits.readContestants(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: readC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...), Close: func() { b.remove(t.Root) }}, err
}

// start returns a row that cooks an empty directory.
func (b *bench) start(context.Context) (Row, error) {
	t := newTree(filepath.Join(b.dir, "empty"), 0)
	if err := os.MkdirAll(t.Assets(), 0o777); err != nil {
		return Row{}, err
	}
	c := b.cmd.contestant("cook of an empty directory", t, 0, 0)
	return Row{Reference: oneLine, WarmUp: 1, Contestants: []Contestant{c, b.limits.hello()}}, nil
}
