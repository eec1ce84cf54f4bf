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

// A workplace is the working directory and the cook command of a campaign.
type workplace struct {
	name    string // of the campaign
	seed    uint64
	dir     string // directory to work in; openWorkplace replaces it by a new directory inside
	program string // the cook command
	began   time.Time
}

// flags makes a flag set that fills in the workplace. The current value of dir is the
// default.
func (w *workplace) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(w.name, flag.ContinueOnError)
	fs.Uint64Var(&w.seed, "seed", uint64(time.Now().UnixNano()), "seed of all random numbers; timing varies anyway")
	fs.StringVar(&w.dir, "dir", w.dir, "`directory` to work in, preferably on tmpfs (default: the temporary directory)")
	fs.StringVar(&w.program, "cook", "", "cook `command` (default: built from this module)")
	return fs
}

// openWorkplace prints the seed, creates the directory and, without -cook, builds the command.
// close removes the directory.
func (w *workplace) openWorkplace(ctx context.Context) error {
	fmt.Printf("%s: seed %d\n", w.name, w.seed)
	w.began = time.Now()
	dir, err := os.MkdirTemp(w.dir, w.name)
	if err != nil {
		return err
	}
	w.dir = dir
	if w.program == "" {
		if w.program, err = build(ctx, dir); err != nil {
			w.closeWorkplace()
		}
	}
	return err
}

func (w *workplace) closeWorkplace() { os.RemoveAll(w.dir) }

// took returns the time since openWorkplace, for printing.
func (w *workplace) took() time.Duration { return time.Since(w.began).Round(time.Second) }

// build builds the cook command in dir.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "cook")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/assetcook/assetcook/cmd/cook")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cook: %w: %s", err, text)
	}
	return program, nil
}
