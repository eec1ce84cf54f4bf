package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/internal/syncfs"
)

// On ext4 without a journal, creating files is slow for up to six minutes after many files were
// removed, because the kernel skips recently freed inodes. So the files of a round are moved aside
// and removed at the end. If there are more than asideMost, they are removed at once, and the next
// round waits.
const (
	inodesRest = 361 * time.Second
	asideMost  = 2_000_000
)

// fresh returns a row whose rounds begin without the given directories. A directory may have at
// most as many files as the tree. Each run starts after all earlier writes have reached the disk.
func (b *bench) fresh(t *Tree, contestants []Contestant, dirs ...string) Row {
	sync := func(context.Context, int) error {
		work, err := os.Open(b.dir)
		if err != nil {
			return err
		}
		return errors.Join(syncfs.Sync(work), work.Close())
	}
	for i := range contestants {
		contestants[i].Prepare = sync
	}
	aside := 0
	contestants[0].Prepare = func(ctx context.Context, round int) error {
		if round == 0 {
			return sync(ctx, round)
		}
		aside += len(dirs) * t.Files
		for i, dir := range dirs {
			var err error
			if aside <= asideMost {
				err = os.Rename(dir, fmt.Sprintf("%s-aside-%d-%d", t.Cooked(), round, i))
			} else {
				err = os.RemoveAll(dir)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := sync(ctx, round); err != nil || aside <= asideMost {
			return err
		}
		return pause(ctx, inodesRest)
	}
	return Row{Reference: cpName, Contestants: contestants, Close: func() {
		for i, dir := range dirs {
			if aside > asideMost {
				b.remove(dir)
			} else if err := os.Rename(dir, fmt.Sprintf("%s-aside-%d", t.Cooked(), i)); err != nil {
				b.remove(dir)
			}
		}
	}}
}

// These contestants copy the sources. The second also waits until the copies are on the disk, as
// cook does before it writes the index.
const (
	cpName     = "cp -r"
	cpSyncName = "cp -r and sync -f"
)

// copied returns the destination directories of the two contestants that copy the sources.
func (t *Tree) copied() (plain, synced string) {
	return filepath.Join(t.Root, "copy"), filepath.Join(t.Root, "copy-synced")
}

// copies returns the contestants that copy the sources.
func (b *bench) copies(t *Tree) []Contestant {
	cp, err := exec.LookPath("cp")
	if err != nil {
		return []Contestant{{Name: cpName, Missing: "not installed"}}
	}
	contestant := func(name, to string, argv ...string) Contestant {
		last := filepath.Join(to, t.Path(t.Files-1))
		return Contestant{
			Name: name, Command: Command{Argv: append(argv, t.Assets(), to), Dir: t.Root, Env: b.cmd.env},
			Check: both(silent, func(Result) error { _, err := os.Lstat(last); return err }),
		}
	}
	plain, synced := t.copied()
	return []Contestant{
		contestant(cpName, plain, cp, "-r"),
		contestant(cpSyncName, synced, "/bin/sh", "-c", `cp -r "$1" "$2" && sync -f "$2"`, "sh"),
	}
}

// cold returns the row of the table for a run with an empty store, which cooks every asset.
func (b *bench) cold(t *Tree) Row {
	t = t.Into("cold")
	store := filepath.Join(t.Root, "cold-store")
	c := b.cmd.contestant("cook, cold", t, t.Files, t.Files, "-cache", store)
	plain, synced := t.copied()
	return b.fresh(t, append([]Contestant{c}, b.copies(t)...), t.Cooked(), store, plain, synced)
}

// restored returns a row that cooks after its output directory and index were removed. The recipe
// copy stores no results, so cook copies all sources again.
func (b *bench) restored(t *Tree) Row {
	t = t.Into("restored")
	c := b.cmd.contestant("cook, outputs deleted", t, t.Files, t.Files)
	plain, synced := t.copied()
	return b.fresh(t, append([]Contestant{c}, b.copies(t)...), t.Cooked(), plain, synced)
}

// targets returns a row that cooks for two targets alternately. Everything is up to date for both
// targets.
func (b *bench) targets(ctx context.Context, t *Tree) (Row, error) {
	t = t.Into("targets")
	names := []string{"one", "two"}
	clean := func() { b.remove(t.Cooked()) }
	for round := range 2 {
		for _, name := range names {
			cooked := 0
			if round == 0 {
				cooked = t.Files
			}
			if _, err := checked(ctx, b.run, b.cmd.command(t, "-target", name), expect(t.Files, cooked)); err != nil {
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
