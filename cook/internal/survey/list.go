// Package survey reads the results of earlier runs from an output directory: assets and artifacts
// from the index, and runs from the history. It changes nothing and takes no lock.
package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
)

// An Asset is a source with its artifacts for one target, as of the last run that worked on it.
type Asset struct {
	Path, Target string
	ID           string // set by the caller; "" if assets have no IDs
	Method       *Method
	Failed       bool
	Warned       bool          // set if the recipe had warnings
	Source       store.BlobID  // content of the source when it was cooked
	In           int64         // size of the source in bytes
	CookTime     time.Duration // duration of the recipe's last run
	Last         Decision
	Outputs      []Output
	Inputs
}

// Facts holds known facts about an image.
type Facts struct {
	jobs.Facts         // decisions of the recipe, as Recall sets them
	PSNR       float64 // PSNR of the textures in dB; 0 if unknown
}

// Inputs are the inputs of an asset besides its source.
type Inputs struct {
	Dependencies []string // files that the recipe read or looked for
	Missing      []string // dependencies that do not exist
	Takes        []string // artifacts, as paths in the output directory
}

// A Decision describes the last run that worked on an asset.
type Decision struct {
	At      time.Time // start of the run
	Outcome execute.Outcome
	Reasons []string // reasons; for a failure, the last one is the error
	// Origin is the machine that cooked the artifacts, if it is another machine. It is set by
	// Trace.
	Origin store.Origin
	Facts  Facts
}

// Out returns the size of the artifacts.
func (a *Asset) Out() (bytes int64) {
	for _, o := range a.Outputs {
		bytes += o.Size
	}
	return bytes
}

// Role returns the role of the images among the artifacts, "" if there are none. Several roles are
// separated by commas.
func (a *Asset) Role() string {
	var roles []string
	for _, o := range a.Outputs {
		if o.Role != "" && !slices.Contains(roles, o.Role) {
			roles = append(roles, o.Role)
		}
	}
	return strings.Join(roles, ", ")
}

// An Output is an artifact; Path is in the output directory.
type Output struct {
	Path string
	Size int64
	Role string // meaning of the pixels of an image; "" for other files
}

// A Method is a recipe with options. Assets share it, so callers must not change it.
type Method struct {
	Recipe  string
	Options map[string]string
}

// ErrNotCooked is the error for an output directory in which no cook has completed.
var ErrNotCooked = errors.New("nothing has been cooked into this directory yet; run cook first")

// List returns the assets of the last run of an output directory, sorted by path and target. It
// reads the index, but neither assets nor artifacts, so it does not see later edits.
func List(out string) (list []Asset, err error) {
	err = Each(out, func(a *Asset) bool {
		list = append(list, *a)
		return true
	})
	return list, err
}

// Each calls do with each asset that [List] returns, in order, until do returns false. It keeps no
// asset, so its memory does not depend on the number of assets.
func Each(out string, do func(*Asset) bool) error { return eachRow(out, (*index.Row).Action, do) }

// EachWithoutInputs is like [Each], but the assets have no Inputs, which take longest to decode.
func EachWithoutInputs(out string, do func(*Asset) bool) error {
	return eachRow(out, (*index.Row).WithoutDeps, do)
}

func eachRow(out string, decode func(*index.Row) index.Action, do func(*Asset) bool) error {
	return withIndex(out, func(x *index.Index) {
		l := newLister(x)
		for row := range x.Results().Rows("") {
			action := decode(row)
			_, size, _ := row.Source()
			a := l.listedAsset(&action, size)
			if !do(&a) {
				return
			}
		}
	})
}

// withIndex opens the index of an output directory and calls do with it.
func withIndex(out string, do func(x *index.Index)) error {
	dir, err := confine.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output directory %s: %w", out, ErrNotCooked)
	}
	if err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	known, err := in.Index.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output directory %s: %w", out, ErrNotCooked)
	}
	if err != nil {
		return fmt.Errorf("%w; cook again to make a new index", in.Index.Describe(err))
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
		return fmt.Errorf("%w; cook again to make a new index", in.Index.Describe(err))
	}
	return nil
}

// Users returns the sources that read each file, and the bundles that contain artifacts of each
// source, sorted. list comes from [List].
func Users(list []Asset) map[string][]string {
	users := map[string][]string{}
	use := func(file, by string) {
		if known := users[file]; len(known) == 0 || known[len(known)-1] != by {
			users[file] = append(known, by)
		}
	}
	makers := map[string]string{} // source of each artifact that a bundle may contain
	for i := range list {
		for _, file := range list[i].Dependencies {
			use(file, list[i].Path)
		}
		for _, artifact := range list[i].Takes {
			makers[artifact] = ""
		}
	}
	if len(makers) == 0 {
		return users
	}
	for i := range list {
		for _, o := range list[i].Outputs {
			if _, ok := makers[o.Path]; ok {
				makers[o.Path] = list[i].Path
			}
		}
	}
	for i := range list {
		for _, artifact := range list[i].Takes {
			use(makers[artifact], list[i].Path)
		}
	}
	return users
}

// Seal returns a text that identifies the result of [List]. It changes with each run that
// changes something. It is "" if List would fail.
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

// A lister makes assets from an index. Assets with equal methods share one Method.
type lister struct {
	x       *index.Index
	methods map[*index.Field]*Method
	bundles bundles
}

func newLister(x *index.Index) *lister {
	return &lister{x, map[*index.Field]*Method{}, bundles{x: x}}
}

// listedAsset returns the asset of an action. size is the size of its source.
func (l *lister) listedAsset(a *index.Action, size int64) Asset {
	of := Asset{
		Path: a.Path, Target: a.Target, Method: l.method(a.Method), Failed: a.State == index.Failed, Warned: a.Warned, In: size,
		Source: a.Source, CookTime: a.CookTime, Last: Decision{At: a.Decision.At, Outcome: execute.Outcome(a.Decision.Outcome)},
	}
	for why := range strings.Lines(a.Decision.Why) {
		of.Last.Reasons = append(of.Last.Reasons, strings.TrimSuffix(why, "\n"))
	}
	for _, m := range a.Made {
		of.Outputs = append(of.Outputs, Output{m.Path, m.Stamp.Size, m.Role})
	}
	for _, d := range a.Deps {
		if d.On.Kind == dependency.IDs || contents.IsSilent(d) {
			continue // skip IDs and empty extracts, which are not files
		}
		if d.On.Kind == dependency.Name {
			if final, ok := plan.FinalName(d); ok {
				of.Takes = append(of.Takes, final)
			}
			continue
		}
		if d.On.Kind == dependency.Artifacts {
			for _, o := range l.bundles.chosenArtifacts(d.On) {
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

// bundles holds the artifacts in bundles.
type bundles struct {
	x    *index.Index
	made map[string][]output // artifacts by target; filled on first use
}

// An output is an artifact. below is its path in the directory of its target, and path is its path
// in the output directory.
type output struct{ source, below, path string }

// artifactsOf returns the artifacts of a target.
func (b *bundles) artifactsOf(target string) []output {
	if b.made == nil {
		b.made = map[string][]output{}
		for row := range b.x.Results().Rows("") {
			if row.State() != index.Done {
				continue
			}
			for k := range row.Made() {
				ref, _ := row.Artifact(k)
				o := output{source: row.Path(), path: b.x.Path(ref)}
				o.below = o.path
				if row.Target() != "" {
					o.below = strings.TrimPrefix(o.path, row.Target()+"/")
				}
				b.made[row.Target()] = append(b.made[row.Target()], o)
			}
		}
	}
	return b.made[target]
}

// chosenArtifacts returns the artifacts that a dependency selects.
func (b *bundles) chosenArtifacts(on dependency.Dependency) (list []output) {
	var chosen glob.List
	for _, p := range on.Patterns() {
		if chosen.Add(p) != nil {
			return nil // a failed action has no artifacts
		}
	}
	for _, o := range b.artifactsOf(on.Path) {
		if chosen.Match(o.below, path.Base(o.below)) {
			list = append(list, o)
		}
	}
	return list
}

// takers returns the bundles that contain artifacts of the given sources, directly or through other
// bundles.
func (b *bundles) takers(sources ...string) []string {
	takes := map[string][]string{} // sources of the artifacts in each bundle
	b.x.Results().Deps(dependency.Kind.IsArtifacts, func(bundle string, d index.Dep) {
		for _, o := range b.chosenArtifacts(d.On) {
			takes[bundle] = append(takes[bundle], o.source)
		}
	})
	known := map[string]bool{}
	for _, s := range sources {
		known[s] = true
	}
	for again := true; again; {
		again = false
		for bundle, from := range takes {
			if !known[bundle] && slices.ContainsFunc(from, func(s string) bool { return known[s] }) {
				known[bundle], again = true, true
				sources = append(sources, bundle)
			}
		}
	}
	return sources
}

// OutputFolder returns the absolute name of the output directory. If out is "", that is the default
// for the asset directory.
func OutputFolder(dir, out string) (string, error) {
	if out != "" {
		return filepath.Abs(out)
	}
	dir, err := filepath.Abs(dir)
	return session.DefaultOut(dir), err
}

// Runs returns the last runs of an output directory that had work, oldest first, at most 600. Old
// runs have no details. It skips an incomplete line of a killed run.
func Runs(out string) ([]stats.Past, error) {
	dir, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	text, err := in.History.Read()
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", out, err)
	}
	var runs []stats.Past
	for line := range strings.Lines(string(text)) {
		if p, ok := stats.ParsePast([]byte(line)); ok {
			runs = append(runs, p)
		}
	}
	return runs[max(0, len(runs)-state.HistoryRuns):], nil
}
