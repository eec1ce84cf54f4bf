package verify

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// checkInputs reports what an action depended on when it was cooked again, and is not on
// record as a dependency: a change of it would cook nothing. What could appear is a warning.
// No depfile tells of it, and nothing is wrong as long as it does not.
func (w *worker) checkInputs(a *plan.Action, now attempt) {
	recorded := recordOf(a.Path, a.Last.Deps)
	hidden := map[FindingKind][]string{}
	for _, d := range now.deps {
		if !recorded.stands(d) {
			kind := hiddenKind(d)
			hidden[kind] = append(hidden[kind], d.Path)
		}
	}
	for _, kind := range []FindingKind{HiddenRead, HiddenListing, HiddenAbsence} {
		paths := hidden[kind]
		if len(paths) == 0 {
			continue
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		f := Finding{Kind: kind, Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name, Warning: kind != HiddenRead,
			Text: describeHidden(kind, a, paths, now.traced)}
		for _, p := range paths {
			f.Inputs = append(f.Inputs, inputName(p))
		}
		w.report.found(f)
	}
}

// hiddenKind says what is hidden if a dependency is.
func hiddenKind(d index.Dep) FindingKind {
	_, listing := pathname.CutListing(d.Path)
	switch {
	case listing || pathname.IsArtifacts(d.Path):
		return HiddenListing
	case !d.Found:
		return HiddenAbsence
	}
	return HiddenRead
}

// recordedInputs are what an action is known to depend on.
type recordedInputs struct {
	files   map[string]bool // paths; false if only the file's presence counts
	listed  map[string][]pathname.Listed
	folders map[string]bool // that have something of it
	other   map[string]bool
}

func recordOf(source string, deps []index.Dep) recordedInputs {
	r := recordedInputs{map[string]bool{source: true}, map[string][]pathname.Listed{}, map[string]bool{}, map[string]bool{}}
	r.holds(path.Dir(source))
	for _, d := range deps {
		l, listing := pathname.CutListing(d.Path)
		_, link := pathname.CutLink(d.Path)
		switch {
		case pathname.IsArtifacts(d.Path):
			r.other[d.Path] = true
		case link:
			r.other[d.Path] = d.Found
		case listing:
			r.listed[l.Folder] = append(r.listed[l.Folder], l)
			if d.Found {
				r.holds(l.Folder)
			}
		default:
			r.files[d.Path] = r.files[d.Path] || !pathname.PresenceOnly(d.Name)
			if d.Found {
				r.holds(path.Dir(d.Path))
			}
		}
	}
	return r
}

// holds notes that a folder cannot go without a change of what is on record.
func (r *recordedInputs) holds(folder string) {
	for ; !r.folders[folder]; folder = path.Dir(folder) {
		r.folders[folder] = true
	}
}

// stands reports whether a change of what a dependency is on would change what is on record.
func (r *recordedInputs) stands(d index.Dep) bool {
	l, listing := pathname.CutListing(d.Path)
	link, isLink := pathname.CutLink(d.Path)
	switch {
	case pathname.IsArtifacts(d.Path):
		return r.other[d.Path]
	case isLink:
		// A file that is read through a link changes with it.
		_, read := r.files[link]
		return r.other[d.Path] || r.folders[link] || read || !d.Found
	case listing && l.FolderOnly():
		return r.folders[l.Folder]
	case listing:
		// One with a pattern stands for all: whoever wrote it says which names matter.
		return slices.ContainsFunc(r.listed[l.Folder], func(k pathname.Listed) bool {
			return k == l || k.Pattern == "" || l.Pattern == "" && !k.OfFolders && !k.FolderOnly()
		})
	}
	byContent, known := r.files[d.Path]
	if file := pathname.FileOf(d.Path); !known && d.Found {
		byContent, known = r.files[file] // that of the whole file stands for its extracts
	}
	if known && (byContent || pathname.PresenceOnly(d.Name) || !d.Found) {
		return true
	}
	return (!d.Found || pathname.PresenceOnly(d.Name)) && slices.ContainsFunc(r.listed[path.Dir(d.Path)], func(k pathname.Listed) bool {
		return !k.OfFolders && contents.Named(k, path.Base(d.Path))
	})
}

// describeHidden says what is hidden of an action, and what to do. traced says whether a
// program was seen doing it.
func describeHidden(kind FindingKind, a *plan.Action, paths []string, traced bool) string {
	what, are, them := pathname.Show(inputName(paths[0])), "is", "it"
	if n := len(paths) - 1; n > 0 {
		what, are, them = what+" and "+human.Count(n, "other"), "are", "them"
	}
	var text string
	switch kind {
	case HiddenRead:
		text = fmt.Sprintf("read %s, which %s not among its inputs: an edit of %s would not cook this again", what, are, them)
	case HiddenAbsence:
		text = fmt.Sprintf("looked for %s, which %s not there: if that appears, it would not cook this again", what, are)
	default:
		text = fmt.Sprintf("looked into %s: files that appear there would not cook this again", what)
	}
	if !traced {
		return fmt.Sprintf("the recipe %q %s; it does not read the same each time", a.Method.Recipe.Name, text)
	}
	return fmt.Sprintf("%s %s; add reads = [%s], or have all that it reads recorded by deps = \"trace\"", program(a), text, strings.Join(asReads(a.Path, paths), ", "))
}

// inputName is a path as people know it: a folder ends in a slash.
func inputName(p string) string {
	if l, ok := pathname.CutListing(p); ok && l.FolderOnly() {
		l.Pattern = ""
		return l.String()
	}
	return pathname.Plain(p)
}

// program names what an action runs; of a chain, one of the programs that it runs.
func program(a *plan.Action) string {
	if user, ok := a.Method.Cooker.(recipe.ToolUser); ok && a.Method.Then == nil {
		if tools := user.Tools(); len(tools) > 0 {
			return pathname.Show(tools[0])
		}
	}
	return "a program"
}

// asReads writes paths, the first few, as the option reads of a rule takes them.
func asReads(source string, paths []string) []string {
	const shown = 3
	var reads []string
	for _, p := range paths[:min(shown, len(paths))] {
		all := ""
		p = pathname.FileOf(p)
		if l, ok := pathname.CutListing(p); ok {
			p, all = path.Clean(l.Folder), "/*"
		}
		name := "/" + glob.Escape(p) + all
		switch {
		case p == ".":
			name = all
		case all == "" && path.Dir(p) == path.Dir(source):
			name = glob.Escape(path.Base(p))
		}
		reads = append(reads, strconv.Quote(strings.NewReplacer("{", "{{", "}", "}}").Replace(name)))
	}
	return reads
}
