package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/assetcook/assetcook/internal/proof/damage"
)

// damageFiles runs the sweep that package damage defines.
func damageFiles(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("damage", flag.ContinueOnError)
	var opt damage.Options
	fs.IntVar(&opt.Stride, "stride", 1, "inject every `n`-th fault")
	fs.IntVar(&opt.Offset, "offset", 0, "number of the first fault")
	fs.StringVar(&opt.Only, "only", "", "one `kind` of file: index, changes, manifest, parts, journal, lock, store, rules")
	fs.IntVar(&opt.Parts, "parts", 4200, "assets of the tree whose manifest has parts; 0 for none")
	fs.IntVar(&opt.PartsStride, "parts-stride", 20011, "inject every `n`-th fault into manifest parts")
	at := fs.String("dir", os.TempDir(), "directory to work in, preferably in memory")
	if fs.Parse(args) != nil {
		return errUsage
	}
	dir, err := os.MkdirTemp(*at, "damage")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	begin := time.Now()
	total := damage.Tally{}
	err = damage.Sweep(ctx, dir, opt, func(t damage.Tally) {
		for i, f := range t.Wrong {
			if i < 10 {
				fmt.Println("wrong:", f)
			}
		}
		fmt.Printf("damage: %s: %d files, %d faults, %d noted, %d refused, %d wrong, %s\n",
			t.Kind, t.Files, t.Faults, t.Noted, t.Refused, len(t.Wrong), time.Since(begin).Round(time.Second))
		total.Files += t.Files
		total.Faults += t.Faults
		total.Noted += t.Noted
		total.Wrong = append(total.Wrong, t.Wrong...)
	})
	fmt.Printf("damage: %d files, every %d-th fault: %d, %d noted, %d wrong, %s\n",
		total.Files, opt.Stride, total.Faults, total.Noted, len(total.Wrong), time.Since(begin).Round(time.Second))
	if len(total.Wrong) > 0 {
		err = errors.Join(err, fmt.Errorf("%d wrong", len(total.Wrong)))
	}
	if err != nil {
		return err
	}
	return requireNonzero(int64(total.Faults), "faults")
}
