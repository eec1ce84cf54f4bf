// Package oracle compares incremental cooks with cooks from scratch. It generates trees of assets,
// edits them, cooks after each round of edits, and compares the outputs with the result of a full
// cook of the same sources.
//
//	script := oracle.Random(seed, oracle.Options{})
//	err := oracle.Play(ctx, oracle.Place{Dir: dir, Scratch: scratch}, script, oracle.InProcess)
//
// A [Script] is a list of edits and runs. [Play] executes it. After each run it checks that the
// outputs and the number of failed assets equal the results of a run from scratch. A second run
// must have nothing to do. The run itself must do no work if nothing has changed since an earlier
// run. A violation is a [Difference]. [Shrink] reduces a failing script, and [Script.Txtar] prints
// it in the format of package cli's script tests, where it runs unmodified.
package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Place holds the directories of a script.
type Place struct {
	// Dir contains assets, outputs and store. It must be empty at first. The checks depend on the
	// file times of its file system.
	Dir string
	// Scratch is the directory of the runs from scratch, preferably on a tmpfs.
	Scratch string
}

// Play executes a script. It returns a *Difference if a check failed. It returns another error if
// it could not execute the script.
func Play(ctx context.Context, place Place, s Script, k Cooker) error {
	p, err := NewPlayer(place, k)
	if err != nil {
		return err
	}
	defer p.Close()
	for i, step := range s {
		if err := ctx.Err(); err != nil {
			return err
		}
		if step.Mode == nil {
			err = p.Edit(step.Edit)
		} else {
			err = p.Cook(ctx, *step.Mode)
		}
		var d *Difference
		if errors.As(err, &d) {
			d.Step = i
			return d
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// A Player executes a script step by step.
type Player struct {
	place   Place
	cooker  Cooker
	folders Folders

	expected map[string]*expected // results of runs from scratch, keyed by sources and targets
	baseline map[string]*baseline // last run with correct outputs, keyed by targets
	damaged  *stateDamage         // current damage; nil if there is none
	inPlace  map[string]bool      // outputs that were edited in place
	made     map[string]listed    // asset that most recently made each output
	blocks   []string             // absolute paths of foreign directories at the paths of outputs
	mappings map[string][]byte    // contents of mapped files, by absolute name
}

// NewPlayer creates a Player with an empty asset directory.
func NewPlayer(place Place, k Cooker) (*Player, error) {
	p := &Player{
		place: place, cooker: k,
		expected: map[string]*expected{}, baseline: map[string]*baseline{}, inPlace: map[string]bool{}, mappings: map[string][]byte{},
		made: map[string]listed{},
	}
	p.folders = Folders{Assets: p.name("assets"), Out: p.name("cooked"), Cache: p.name("store")}
	if err := os.MkdirAll(p.folders.Assets, 0o777); err != nil {
		return nil, err
	}
	return p, os.MkdirAll(place.Scratch, 0o777)
}

// Close closes the mappings that edits have left open.
func (p *Player) Close() { p.closeMappings() }

// Folders returns the directories of the incremental runs.
func (p *Player) Folders() Folders { return p.folders }

func (p *Player) name(path string) string {
	return filepath.Join(p.place.Dir, filepath.FromSlash(path))
}

// Edit applies an edit. It ignores edits that are impossible, or that damage more than cook can
// recover from. It returns an error if the edit is invalid.
func (p *Player) Edit(e Edit) error {
	has, ok := fields[e.Kind]
	if !ok {
		return fmt.Errorf("edit: there is no kind %q", e.Kind)
	}
	for _, path := range []string{e.Path, e.To} {
		leads := path == e.To && e.Kind == Link // the target of a link may be any path
		if path != "" && !leads && !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("edit %s %s: path is outside the place", e.Kind, path)
		}
	}
	if has.path && e.Path == "" || has.to && e.To == "" {
		return fmt.Errorf("edit %s: no path given", e.Kind)
	}
	out, ok := strings.CutPrefix(e.Path, "cooked/")
	if place, pattern := stateFile(out); ok && place != "" {
		p.damageState(e, place, pattern)
	} else if p.allows(e) {
		p.apply(e) // an edit may fail, for example because a file is missing
	}
	return nil
}

// allows reports whether cook can recover from an edit. It records the edits that the next run must
// notice.
func (p *Player) allows(e Edit) bool {
	out, ok := strings.CutPrefix(e.Path, "cooked/")
	switch {
	case e.Path == "cooked":
		if e.Kind != Remove {
			return false
		}
		p.baseline, p.damaged, p.blocks = map[string]*baseline{}, nil, nil
		clear(p.inPlace)
		return true
	case e.Path == "assets":
		return false
	case !ok:
		return true
	case strings.HasPrefix(out, ".cook/"), path.Ext(out) == ".own" && path.Dir(out) == ".":
		return true // a user's file, or a state file that does not say which outputs cook owns
	}
	return p.allowsOutput(e, out)
}

// allowsOutput implements allows for outputs. It only allows edits of existing outputs, because
// cook does not own new files in the output directory.
func (p *Player) allowsOutput(e Edit, out string) bool {
	info, err := os.Lstat(p.name(e.Path))
	if err != nil || info.IsDir() {
		return err == nil && e.Kind == Remove
	}
	switch e.Kind {
	case Write, Overwrite, KeepTime, Append, Truncate, Touch, Retouch, Chmod, Flip, Cut:
		if !info.Mode().IsRegular() {
			return false // a write would go to the link's target, which cook does not own
		}
		p.inPlace[out] = true
	case Replace, Restore, Remove, Link, Block, Lose:
	case Swap:
		other, ok := strings.CutPrefix(e.To, "cooked/")
		info, err := os.Lstat(p.name(e.To))
		if !ok || err != nil || info.IsDir() || strings.HasPrefix(other, ".cook") || strings.HasPrefix(other, "manifest") {
			return false
		}
	default:
		return false
	}
	return true
}
