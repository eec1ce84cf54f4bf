// Package survey reads what earlier runs left in an output folder: what was made of each
// asset, from the index, and what runs did, from the history. It changes nothing and takes
// no lock.
package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Asset is a source as it was last worked on for one target, and what was made of it.
type Asset struct {
	Path, Target string
	ID           string // "" if assets have none; the caller's to fill in
	Method       *Method
	Failed       bool
	Warned       bool          // by its recipe
	Source       store.BlobID  // that it was cooked from
	In           int64         // bytes of the source
	CookTime     time.Duration // that the recipe took when it last ran
	Last         Decision
	Outputs      []Output
	Inputs
}

// Inputs are what an asset was made of besides its source.
type Inputs struct {
	Dependencies []string // files that it reads, and those it looked for in vain
	Missing      []string // the latter
	Takes        []string // artifacts, by their paths in the output folder
}

// A Decision is what was done when an asset was last worked on.
type Decision struct {
	At      time.Time // when that run began
	Outcome execute.Outcome
	Reasons []string // if it failed, the last one is the error
	// Origin is where the artifacts came from that were not cooked on this machine; zero
	// until Trace has filled it in.
	Origin store.Origin
}

// Out is how many bytes the artifacts take.
func (a *Asset) Out() (bytes int64) {
	for _, o := range a.Outputs {
		bytes += o.Size
	}
	return bytes
}

// An Output is an artifact, by its path in the output folder.
type Output struct {
	Path string
	Size int64
}

// A Method is how assets are cooked. It is shared and must not be changed.
type Method struct {
	Recipe  string
	Options map[string]string
}

// ErrNotCooked is returned for an output folder that no cook has completed in.
var ErrNotCooked = errors.New("nothing has been cooked into it yet")

// List returns what the last run into an output folder left there, sorted by path and
// target. It reads the index, and neither the assets nor their artifacts, and changes
// nothing: what was edited since then is not seen.
func List(out string) (list []Asset, err error) {
	err = withIndex(out, func(x *index.Index) { list = listed(x) })
	return list, err
}

// withIndex opens the index of an output folder and calls do with it.
func withIndex(out string, do func(x *index.Index)) error {
	dir, err := confine.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output folder %s: %w", out, ErrNotCooked)
	}
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	known, err := in.Index.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output folder %s: %w", out, ErrNotCooked)
	}
	if err != nil {
		return fmt.Errorf("%w; cook again, which makes a new one", in.Index.Describe(err))
	}
	defer known.Close()
	err = index.Guard(func() error {
		if err := known.Load(); err != nil {
			return err
		}
		do(known.Index)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w; cook again, which makes a new one", in.Index.Describe(err))
	}
	return nil
}

// Seal identifies what [List] would return: it is another one after each run that changed
// something. It is "" if nothing can be listed.
func Seal(out string) string {
	dir, err := confine.Open(out)
	if err != nil {
		return ""
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	return in.Index.Seal()
}

// A lister makes assets of an index. Equal methods are one.
type lister struct {
	x       *index.Index
	methods map[*index.Field]*Method
	bundles bundles
}

func newLister(x *index.Index) *lister {
	return &lister{x, map[*index.Field]*Method{}, bundles{x: x}}
}

func listed(x *index.Index) (list []Asset) {
	l := newLister(x)
	for a := range x.Actions() {
		list = append(list, l.asset(a))
	}
	return list
}

// asset returns what an action has left.
func (l *lister) asset(a *index.Action) Asset {
	of := Asset{
		Path: a.Path, Target: a.Target, Method: l.method(a.Method), Failed: a.State == index.Failed, Warned: a.Warned,
		Source: a.Source, CookTime: a.CookTime, Last: Decision{At: a.Decision.At, Outcome: execute.Outcome(a.Decision.Outcome)},
	}
	if f, ok := l.x.File(a.Path); ok {
		of.In = f.Stamp.Size
	}
	for why := range strings.Lines(a.Decision.Why) {
		of.Last.Reasons = append(of.Last.Reasons, strings.TrimSuffix(why, "\n"))
	}
	for _, m := range a.Made {
		of.Outputs = append(of.Outputs, Output{m.Path, m.Stamp.Size})
	}
	for _, d := range a.Deps {
		if d.On.Kind == dependency.IDs || contents.IsSilent(d) {
			continue // those that it takes have them; nothing was read
		}
		if d.On.Kind == dependency.Artifacts {
			for _, o := range l.bundles.chosen(d.On) {
				of.Takes = append(of.Takes, o.path)
			}
			continue
		}
		of.Dependencies = append(of.Dependencies, d.On.String())
		if !d.Found {
			of.Missing = append(of.Missing, d.On.String())
		}
	}
	return of
}

func (l *lister) method(m index.Method) *Method {
	if len(m) == 0 {
		return &Method{}
	}
	known := l.methods[&m[0]]
	if known == nil {
		known = methodOf(m)
		l.methods[&m[0]] = known
	}
	return known
}

func methodOf(m index.Method) *Method {
	to := &Method{Recipe: plan.RecipeOf(m), Options: map[string]string{}}
	for _, f := range m {
		to.Options[f.Key] = f.Value
	}
	return to
}
