package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/dirfd"
	"github.com/assetcook/assetcook/internal/program"
)

// learned holds the locations whose changes affect the output, as of the last round.
type learned struct {
	folders []string           // absolute names
	always  map[string]bool    // directories to examine in each round, even without events
	tools   map[string]string  // files of the programs that methods name
	machine map[string]string  // libraries of the machine; see program.Machine
	rules   *session.RuleTexts // last correct rules
	// vouched is set if the round began with a valid index. All directories were then known from
	// the index.
	vouched bool
	// index identifies the round's index by its seal.
	index string
	// everywhere is set if the next round must examine all directories.
	everywhere bool
}

// learn returns the knowledge after a round. was is the earlier knowledge, and all reports whether
// the round examined all directories.
func learn(s *session.Session, done *pass.Done, at places, was learned, all bool) (learned, error) {
	now := learned{always: was.always, tools: was.tools, machine: was.machine, rules: was.rules, index: s.State.Index.Seal()}
	now.learnRules(s, done)
	if done.Delta == nil || all {
		now.always = map[string]bool{}
	}
	if at.config != "" {
		now.folders = append(now.folders, at.config)
	}
	if done.Delta == nil {
		return now, now.learnFromIndex(s, done.Targets, at)
	}
	now.vouched = true
	now.fromDelta(s, done, at)
	now.fromActions(done.Actions, at)
	for on := range done.Delta.Read.Parts.Files() {
		now.useLearned(fileIn(at.assets, on))
	}
	if all {
		now.fromFiles(done.Delta, at)
	}
	return now, nil
}

// learnRules records the rules of a round. If no round needed rules so far, it reads them.
func (l *learned) learnRules(s *session.Session, done *pass.Done) {
	switch {
	case done.Rules != nil:
		l.rules = done.Rules
	case l.rules == nil:
		// If an edit has broken the rules meanwhile, the next round reports the mistakes.
		if rules, err := s.CompileRules(done.Delta.Configs()); err == nil {
			l.rules = &rules.Texts
		}
	}
}

// learnFromIndex records the directories in the index of a round that listed the whole tree. Such a
// round does not detect hard links, or changes that a new directory had before it was watched. If
// the index is valid, the next round must therefore examine all directories.
func (l *learned) learnFromIndex(s *session.Session, targets []string, at places) error {
	known, err := s.State.Index.Load()
	if err != nil {
		return nil // the next round will list the whole tree
	}
	defer known.Close()
	return index.Guard(func() error {
		l.watchFolders(known.Index, at)
		l.everywhere = changes.ValidFor(known.Index, s, targets)
		return nil
	})
}

// watchFolders adds the directories of an index.
func (l *learned) watchFolders(x *index.Index, at places) {
	for ref := range index.FolderRef(x.Folders()) {
		f := x.Folder(ref)
		if !f.Listed && f.Len() == 0 {
			continue
		}
		name := at.namePlace(&f)
		l.folders = append(l.folders, name)
		if f.Odd {
			l.always[name] = true
		}
	}
}

// fromDelta learns the directories of a delta. Some of them must be examined in every round:
// directories with links, whose targets may change anywhere, and directories with files that have
// another hard link elsewhere.
func (l *learned) fromDelta(s *session.Session, done *pass.Done, at places) {
	d := done.Delta
	l.watchFolders(d.Last, at)
	for _, ref := range d.Found.Linked {
		f := d.Last.Folder(ref)
		l.always[at.namePlace(&f)] = true
	}
	odd := map[string]bool{}
	for _, f := range d.Tree.Folders {
		name := filepath.Join(at.assets, filepath.FromSlash(f.Real))
		l.folders = append(l.folders, name)
		if f.Odd {
			l.always[name] = true
			odd[f.Path] = true
		}
	}
	fresh := freshIn(d, done.Actions)
	for _, e := range d.Tree.Entries {
		if !odd[watchedParent(e.Path)] { // the next rounds list odd directories anyway
			fresh[e.Path] = true
		}
	}
	// A new file with two hard links may have its other name anywhere. A symbolic link may lead to
	// a file whose own path is not an asset.
	for file, is := range fresh {
		if !is || filepath.IsAbs(file) {
			continue
		}
		info, err := s.Assets.Root().Stat(filepath.FromSlash(file))
		if gone := errors.Is(err, fs.ErrNotExist); !gone && (err != nil || dirfd.InfoOf(info).Links != 1) {
			l.everywhere = true
			return
		}
	}
}

// freshIn returns the files that are new or whose inode has changed. Each of them may be a hard
// link to a file with another known name.
func freshIn(d *changes.Delta, actions []index.Action) map[string]bool {
	fresh := map[string]bool{}
	note := func(on dependency.Dependency, is bool) {
		if file, ok := on.OnFile(); ok {
			fresh[file] = fresh[file] || is
		}
	}
	for on := range d.Changed {
		note(on, true)
	}
	for i := range d.Found.Files {
		f := &d.Found.Files[i]
		if f.Role == index.Asset || f.Role == index.Other {
			note(d.Last.Dependency(f.Ref), f.Known.Inode != f.Now.Inode || f.Known.Device != f.Now.Device)
		}
	}
	for on := range d.Read.Parts.Files() {
		note(on, true)
	}
	needed := map[dependency.Dependency]bool{} // maps dependencies of the earlier actions to whether they were found
	for i := range d.Before {
		for _, dep := range d.Before[i].Deps {
			needed[dep.On.Seen()] = needed[dep.On.Seen()] || dep.Found
		}
	}
	for i := range actions {
		for _, dep := range actions[i].Deps {
			if dep.Found && !needed[dep.On.Seen()] {
				note(dep.On, true)
			}
		}
	}
	return fresh
}

// watchedParent returns the directory of a source, or "" for the root.
func watchedParent(source string) string {
	if dir := path.Dir(source); dir != "." {
		return dir
	}
	return ""
}

// useLearned adds a file that recipes use: it adds the directory of the file to the watched
// directories.
func (l *learned) useLearned(file string) {
	dir := filepath.Dir(file)
	l.folders = append(l.folders, dir)
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		l.always[dir] = true // the target of the link may change anywhere
	}
}

// fileIn returns the path of a dependency's file. For a listing, it returns an arbitrary path in
// the directory.
func fileIn(assets string, on dependency.Dependency) string {
	if on.Kind.IsListing() || on.Kind == dependency.Extracts {
		return filepath.Join(assets, filepath.FromSlash(on.Path), "any")
	}
	return filepath.Join(assets, filepath.FromSlash(on.Path))
}

// fromActions adds the directories of new dependencies and outputs.
func (l *learned) fromActions(actions []index.Action, at places) {
	for i := range actions {
		for _, d := range actions[i].Deps {
			if !d.On.Kind.IsArtifacts() { // artifacts are outputs of other assets
				l.useLearned(fileIn(at.assets, d.On))
			}
		}
		for _, o := range actions[i].Made {
			l.useLearned(filepath.Join(at.out, filepath.FromSlash(o.Path)))
		}
	}
}

// fromFiles adds the files other than assets that recipes use: links and programs.
func (l *learned) fromFiles(d *changes.Delta, at places) {
	for ref := range index.FolderRef(d.Last.Folders()) {
		f := d.Last.Folder(ref)
		for i := range f.Len() {
			n, ok := f.Node(i)
			if !ok || n.Role != index.Other {
				continue
			}
			if on := d.Last.Dependency(n.Ref); filepath.IsAbs(on.Path) {
				l.useLearned(on.Path)
			} else {
				l.useLearned(fileIn(at.assets, on))
			}
		}
	}
	l.machine = d.Read.Tools.Libraries
	l.tools = map[string]string{}
	for name := range d.Read.Tools.Files {
		l.tools[name], _ = program.Find(at.assets, name)
	}
}

// sameTools reports whether the names of programs and libraries still lead to the same files.
func (l *learned) sameTools(assets string) bool {
	for name, was := range l.tools {
		if file, _ := program.Find(assets, name); file != was {
			return false
		}
	}
	if len(l.machine) == 0 {
		return true
	}
	machine := program.ThisMachine()
	for library, was := range l.machine {
		if machine.Name(library) != was {
			return false
		}
	}
	return true
}
