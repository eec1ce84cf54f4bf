package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/internal/sysmem"
)

// saved measures the time from a save to its artifact while a watcher runs. The memory is the
// watcher's peak so far.
func (b *bench) saved(ctx context.Context, t *Tree) (Row, error) {
	if err := b.cmd.rest(ctx, t); err != nil {
		return Row{}, err
	}
	pid, stop, err := b.watch(ctx, t)
	if err != nil {
		return Row{}, err
	}
	const edited = 50 // files of the first directory, edited in turn
	prepared, saves := filepath.Join(t.Root, "prepared"), 0
	var path string
	save := Contestant{Name: "save beside cook -watch"}
	save.Prepare = func(ctx context.Context, _ int) error {
		i := saves % min(edited, t.Files)
		saves++
		path = t.Path(i)
		if err := os.WriteFile(prepared, t.content(i, -1_000_000-saves), 0o666); err != nil {
			return err
		}
		return settle(ctx) // lets the watcher handle the previous save
	}
	save.Do = func(ctx context.Context) (r Result, err error) {
		want, err := os.ReadFile(prepared)
		if err != nil {
			return r, err
		}
		artifact := filepath.Join(t.Cooked(), path)
		arrival, err := expectArrival(artifact)
		if err != nil {
			return r, err
		}
		defer arrival.Close()
		begin := time.Now()
		if err := os.Rename(prepared, filepath.Join(t.Assets(), path)); err != nil {
			return r, err
		}
		if err := arrival.Wait(ctx); err != nil {
			return r, err
		}
		r.Wall = time.Since(begin)
		if got, err := os.ReadFile(artifact); err != nil || string(got) != string(want) {
			return r, fmt.Errorf("the artifact differs from the saved source (%v)", err)
		}
		r.MaxRSS = sysmem.PeakRSSOf(pid)
		return r, nil
	}
	source := filepath.Join(t.Assets(), t.Path(t.Files-1))
	one := Contestant{Name: "cp of one file", Check: silent, Command: Command{
		Argv: []string{"/bin/cp", source, filepath.Join(t.Root, "copy-of-one")}, Dir: t.Root, Env: b.cmd.env,
	}}
	return Row{Reference: one.Name, WarmUp: 1, Contestants: []Contestant{save, one}, Close: stop}, nil
}
