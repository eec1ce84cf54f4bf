package pass

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Delta is what differs from what the last run knew, and whom that concerns.
type Delta struct {
	// Last is the index that the delta is about: an empty one if that on the disk is
	// damaged.
	Last *index.Index
	// Whole says that everything is taken to differ. Then there are no Concerned and
	// no Found.
	Whole bool
	// Tree has the folders that were listed: all, or those whose stamps differ.
	Tree *scan.Tree
	// Sources are those to see to, sorted by path, and Before is what was known of
	// them and of sources that are gone.
	Sources []scan.Entry
	Before  []index.Action
	// Concerned are the paths of both; Changed those with another content, or none, or
	// one at last, of dependencies as well.
	Concerned map[string]bool
	Changed   map[dependency.Dependency]bool
	// Found has the files that differ. Those that are the Same were only touched.
	Found *restat.Found
	// Stale is what the index must forget.
	Stale Stale

	Edited Edited
	Read   Read
	Tools  Tools
}

// Tools are what methods name besides the asset tree, as it is now.
type Tools struct {
	Files     map[string]string // content of programs and what belongs to them, by name
	Libraries map[string]string // what the machine's libraries are; see program.Machine
}

// Edited has the rules after an edit, and what they change for other targets.
type Edited struct {
	Rules *Ruleset // nil if none was
	// Outdated are, by target, sources that this run leaves alone and the next one shall
	// see to: those that are now cooked another way for other targets, and those that are
	// made of others' artifacts and out of scope.
	Outdated map[string][]string
}

// Stale are nodes of files that were looked for and not there, and no longer are so, and
// folders that are gone.
type Stale struct {
	Nodes   []index.Ref
	Folders []index.FolderRef
}

// Read is what was read to find out what differs.
type Read struct {
	Files, Bytes int64
	Took         time.Duration
	Parts        *contents.Parts // what files said
}

// A Where says where a pass has to look, if that is known; nil is everywhere.
type Where func(f *index.Folder) bool

// errNeedFullScan says that stamps cannot tell what differs.
var errNeedFullScan = errors.New("the whole tree must be looked at")

// Changes finds out what differs. Until it knows that, the observer is told stages and
// nothing else.
func Changes(ctx context.Context, s *Session, last *index.Index, where Where) (*Delta, error) {
	if s.recallTargets(last) && s.canRestat(last, where != nil) {
		var d *Delta
		err := errNeedFullScan
		if s.Scope.Source == "" {
			d, err = restatTree(ctx, s, last, where)
		} else if where = s.aroundSource(last); where != nil {
			d, err = restatTree(ctx, s, last, where)
		}
		if err == nil || !errors.Is(err, errNeedFullScan) && !errors.Is(err, index.ErrFault) {
			return d, err
		}
		s.Observer.Stage("scan")
	}
	return ListTree(ctx, s, s.Loaded(last))
}

// Loaded returns an index of which all is ready, or an empty one if it is damaged.
func (s *Session) Loaded(last *index.Index) *index.Index {
	if err := index.Guard(last.Check); err != nil {
		s.Observer.Note(fmt.Sprintf("%v; everything is checked anew", s.State.Describe(err)))
		return index.Empty()
	}
	return last
}

// Load returns what the last run left. Whatever is wrong with it means work, not
// failure.
func (s *Session) Load() (*state.Known, error) {
	if s.Out == nil {
		return state.Empty(), nil
	}
	known, err := s.State.Load()
	switch {
	case err == nil:
		return known, nil
	case errors.Is(err, fs.ErrNotExist):
		if s.State.HasManifest() && s.State.Exists() {
			s.Observer.Note("the index is missing; everything is checked anew")
		}
	case errors.Is(err, state.ErrUnreadable):
		return nil, fmt.Errorf("%w; remove it", s.State.Describe(err))
	default:
		s.Observer.Note(fmt.Sprintf("%v; everything is checked anew", s.State.Describe(err)))
	}
	return state.Empty(), nil
}

// canRestat reports whether the index vouches for what the session would make, and the
// last run left nothing to be tidied up. A watcher saw to warnings in its first round.
func (s *Session) canRestat(last *index.Index, watching bool) bool {
	m := s.Mode
	return s.Out != nil && s.Vouched(last) && !m.Force && !m.FullScan && (!m.Strict || watching) && (m.Beside || !s.State.Interrupted())
}

// aroundSource returns the folders that decide about the one source that the session
// sees to: those on the way to it, with the rules for it, and those of its dependencies
// and outputs. It is nil if the index cannot tell.
func (s *Session) aroundSource(last *index.Index) Where {
	type place struct {
		tree index.Tree
		path string
	}
	around := map[place]bool{}
	above := func(tree index.Tree, dir string) {
		if dir == "." {
			dir = ""
		}
		for ; ; dir = parent(dir) {
			around[place{tree, dir}] = true
			if dir == "" {
				return
			}
		}
	}
	err := index.Guard(func() error {
		if err := last.Load(); err != nil {
			return err
		}
		if f, ok := last.File(s.Scope.Source); !ok || f.Role != index.Asset {
			return errNeedFullScan // it may be new, or ignored
		}
		above(index.Assets, path.Dir(s.Scope.Source))
		for _, a := range last.ActionsOf(s.Scope.Source) {
			for i := range a.Deps {
				if on := a.Deps[i].On; !on.Kind.IsArtifacts() {
					above(index.Assets, on.InFolder())
				}
			}
			for i := range a.Made {
				above(index.Out, path.Dir(a.Made[i].Path))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return func(f *index.Folder) bool {
		return f.Tree != index.Assets && f.Tree != index.Out || around[place{f.Tree, f.Path()}]
	}
}

// ListTree lists the whole tree: everything differs.
func ListTree(ctx context.Context, s *Session, last *index.Index) (*Delta, error) {
	tree, err := scan.Dir(ctx, s.Assets.Name(), s.scanOptions())
	if err != nil {
		return nil, err
	}
	for _, p := range tree.Problems {
		if path.Base(p.Path) == scan.ConfigName {
			return nil, configError("%w", p)
		}
	}
	d := &Delta{Last: last, Whole: true, Tree: tree, Sources: tree.Entries, Read: Read{Parts: s.newParts()}}
	if !s.Scope.whole() {
		d.Sources = slices.DeleteFunc(slices.Clone(tree.Entries), func(e scan.Entry) bool { return !s.inScope(e.Path) })
	}
	if err := s.Scope.checkPatterns(tree.Entries, last); err != nil {
		return nil, err
	}
	for a := range last.Actions() {
		if d.Before == nil {
			d.Before = make([]index.Action, 0, len(tree.Entries)) // as many as there are sources, mostly
		}
		d.Before = append(d.Before, *a)
	}
	return d, nil
}

func (s *Session) newParts() *contents.Parts {
	return contents.NewParts(contents.Options{Assets: s.Assets, Checksum: s.Checksum, Clock: s.Clock, Extracts: s.Recipes.Extract})
}

// scanOptions say how the tree is listed. What a recipe cooks by default is not left out.
func (s *Session) scanOptions() scan.Options {
	opt := scan.Options{Exclude: s.ownFolders(), Workers: s.Limits.Workers, ListAll: s.Mode.ListAll}
	for _, name := range s.Recipes.Names() {
		r, _ := s.Recipes.Lookup(name)
		opt.Wanted = append(opt.Wanted, r.Extensions...)
	}
	return opt
}

// Ignored returns what leaves a path of the asset folder out.
func (s *Session) Ignored(path string, isFolder bool) (scan.Verdict, bool) {
	return scan.Ignored(path, isFolder, s.scanOptions().Wanted, func(name string) ([]byte, error) {
		f, err := s.Assets.OpenFile(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, scan.MaxIgnoreSize))
	})
}

// empty reports whether nothing differs.
func (d *Delta) empty() bool {
	return !d.Whole && len(d.Concerned)+len(d.Stale.Folders)+len(d.Stale.Nodes)+len(d.Tree.Folders)+len(d.Found.Files)+len(d.Found.Reread)+len(d.Found.OutFolders) == 0
}

// looked are the system calls that told what differs.
func (d *Delta) looked() Looked {
	n := Looked{Listed: d.Tree.Listed, Opened: d.Tree.Listed, Stats: d.Tree.Stats}
	if d.Found != nil {
		n.Opened, n.Stats = d.Found.Opened, n.Stats+d.Found.Stats
	}
	return n
}
