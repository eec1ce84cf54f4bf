//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A workplace is what a campaign that runs the cook command needs first of all.
type workplace struct {
	name    string // of the campaign
	seed    uint64
	dir     string // folder to work in; once it is open, a new one in there
	program string // the cook command
	began   time.Time
}

// flags makes a flag set that fills the workplace in. What dir is already is the
// default.
func (w *workplace) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(w.name, flag.ContinueOnError)
	fs.Uint64Var(&w.seed, "seed", uint64(time.Now().UnixNano()), "what all that is random is drawn from, but for instants")
	fs.StringVar(&w.dir, "dir", w.dir, "`folder` to work in, best in memory; that of temporary files if none is given")
	fs.StringVar(&w.program, "cook", "", "the `command`, built if not given")
	return fs
}

// open prints the seed, makes the folder and, if none is given, the command.
// close removes the folder.
func (w *workplace) open(ctx context.Context) error {
	fmt.Printf("%s: seed %d\n", w.name, w.seed)
	w.began = time.Now()
	dir, err := os.MkdirTemp(w.dir, w.name)
	if err != nil {
		return err
	}
	w.dir = dir
	if w.program == "" {
		if w.program, err = build(ctx, dir); err != nil {
			w.close()
		}
	}
	return err
}

func (w *workplace) close() { os.RemoveAll(w.dir) }

// took is the time since the start, to print.
func (w *workplace) took() time.Duration { return time.Since(w.began).Round(time.Second) }

// build makes the cook command in dir.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "cook")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/assetcook/assetcook/cmd/cook")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cook: %w: %s", err, text)
	}
	return program, nil
}
