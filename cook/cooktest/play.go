package cooktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Place is where a script is played.
type Place struct {
	// Dir holds assets, outputs and store, and nothing else at first. It lies on
	// the file system whose stamps are to be relied on.
	Dir string
	// Scratch is for the runs from scratch, best on a file system in memory.
	Scratch string
}

// Play carries out a script. Its error is a *Difference if a promise was not
// kept, otherwise something that kept it from playing.
func Play(ctx context.Context, place Place, s Script, k Kitchen) error {
	p, err := NewPlayer(place, k)
	if err != nil {
		return err
	}
	defer p.Close()
	for i, step := range s {
		if err := ctx.Err(); err != nil {
			return err
		}
		if step.Way == nil {
			err = p.Edit(step.Edit)
		} else {
			err = p.Cook(ctx, *step.Way)
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

// A Player carries out a script step by step.
type Player struct {
	place   Place
	kitchen Kitchen
	folders Folders

	wanted   map[string]*wanted // what runs from scratch gave, by sources and targets
	good     map[string]*good   // the last run after which all was right, by targets
	harmed   *harm              // what is not mended yet, nil if nothing
	inPlace  map[string]bool    // outputs that were written to in place
	made     map[string]listed  // of outputs, who made them last
	blocks   []string           // folders in the way of outputs, absolute
	mappings map[string][]byte  // by absolute name
}

// NewPlayer makes the folder of assets.
func NewPlayer(place Place, k Kitchen) (*Player, error) {
	p := &Player{
		place: place, kitchen: k,
		wanted: map[string]*wanted{}, good: map[string]*good{}, inPlace: map[string]bool{}, mappings: map[string][]byte{},
		made: map[string]listed{},
	}
	p.folders = Folders{Assets: p.name("assets"), Out: p.name("cooked"), Cache: p.name("store")}
	if err := os.MkdirAll(p.folders.Assets, 0o777); err != nil {
		return nil, err
	}
	return p, os.MkdirAll(place.Scratch, 0o777)
}

// Close lets go of what edits keep open.
func (p *Player) Close() { p.closeMappings() }

// Folders are those of the runs, but for the ones from scratch.
func (p *Player) Folders() Folders { return p.folders }

func (p *Player) name(path string) string {
	return filepath.Join(p.place.Dir, filepath.FromSlash(path))
}

// Edit does an edit, unless it cannot be done or would take away what nobody
// could do without. Its error is for an edit that makes no sense.
func (p *Player) Edit(e Edit) error {
	has, ok := fields[e.Kind]
	if !ok {
		return fmt.Errorf("edit: there is no kind %q", e.Kind)
	}
	for _, path := range []string{e.Path, e.To} {
		leads := path == e.To && e.Kind == Link // it may lead anywhere
		if path != "" && !leads && !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("edit %s %s: leads out of the place", e.Kind, path)
		}
	}
	if has.path && e.Path == "" || has.to && e.To == "" {
		return fmt.Errorf("edit %s: no path given", e.Kind)
	}
	out, ok := strings.CutPrefix(e.Path, "cooked/")
	if place, pattern := memory(out); ok && place != "" {
		p.perhapsHarm(e, place, pattern)
	} else if p.allows(e) {
		p.perform(e) // it may fail
	}
	return nil
}

// allows reports whether an edit is one after which all can still be right, and
// notes what it means for the next run.
func (p *Player) allows(e Edit) bool {
	out, ok := strings.CutPrefix(e.Path, "cooked/")
	switch {
	case e.Path == "cooked":
		if e.Kind != Remove {
			return false
		}
		p.good, p.harmed, p.blocks = map[string]*good{}, nil, nil
		clear(p.inPlace)
		return true
	case e.Path == "assets":
		return false
	case !ok:
		return true
	case strings.HasPrefix(out, ".cook/"), path.Ext(out) == ".own" && path.Dir(out) == ".":
		return true // a file of the user's, or one that tells nothing
	}
	return p.allowsOutput(e, out)
}

// allowsOutput is about edits of outputs: what is not there yet would not be
// cook's.
func (p *Player) allowsOutput(e Edit, out string) bool {
	info, err := os.Lstat(p.name(e.Path))
	if err != nil || info.IsDir() {
		return err == nil && e.Kind == Remove
	}
	switch e.Kind {
	case Write, Overwrite, KeepTime, Append, Truncate, Touch, Retouch, Chmod, Flip, Cut:
		if !info.Mode().IsRegular() {
			return false // what it leads to is not cook's
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
