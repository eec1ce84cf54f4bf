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
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// checkInputs reports what an action depended on when it was cooked again, and is not on
// record as a dependency: a change of it would cook nothing. What could appear is a warning.
// No depfile tells of it, and nothing is wrong as long as it does not.
func (w *worker) checkInputs(a *plan.Action, now attempt) {
	recorded := recordOf(a.Path, a.Last.Deps)
	hidden := map[FindingKind][]dependency.Dependency{}
	for _, d := range now.deps {
		if !recorded.stands(d) {
			kind := hiddenKind(d)
			hidden[kind] = append(hidden[kind], d.On.Seen())
		}
	}
	for _, kind := range []FindingKind{HiddenRead, HiddenListing, HiddenAbsence} {
		inputs := hidden[kind]
		if len(inputs) == 0 {
			continue
		}
		slices.SortFunc(inputs, dependency.Compare)
		inputs = slices.Compact(inputs)
		f := Finding{Kind: kind, Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name, Warning: kind != HiddenRead,
			Text: describeHidden(kind, a, inputs, now.traced)}
		for _, on := range inputs {
			f.Inputs = append(f.Inputs, inputName(on))
		}
		w.report.found(f)
	}
}

// hiddenKind says what is hidden if a dependency is.
func hiddenKind(d index.Dep) FindingKind {
	switch {
	case d.On.Kind.IsListing() || d.On.Kind.IsArtifacts():
		return HiddenListing
	case !d.Found:
		return HiddenAbsence
	}
	return HiddenRead
}

// recordedInputs are what an action is known to depend on.
type recordedInputs struct {
	files   map[string]bool // paths; false if only the file's presence counts
	asked   map[dependency.Dependency]bool
	listed  map[string][]dependency.Dependency
	folders map[string]bool // that have something of it
	other   map[dependency.Dependency]bool
}

func recordOf(source string, deps []index.Dep) recordedInputs {
	r := recordedInputs{
		files: map[string]bool{source: true}, asked: map[dependency.Dependency]bool{}, listed: map[string][]dependency.Dependency{},
		folders: map[string]bool{}, other: map[dependency.Dependency]bool{},
	}
	r.holds(path.Dir(source))
	for _, d := range deps {
		switch on := d.On; on.Kind {
		case dependency.Artifacts, dependency.IDs:
			r.other[on] = true
			continue
		case dependency.Link:
			r.other[on] = d.Found
			continue
		case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
			r.listed[on.Path] = append(r.listed[on.Path], on)
		case dependency.Extract, dependency.Extracts:
			r.asked[on] = true
		case dependency.File, dependency.Presence:
			r.files[on.Path] = r.files[on.Path] || on.Kind == dependency.File
		}
		if d.Found {
			r.holds(d.On.InFolder())
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
	on := d.On
	byContent, known := r.files[on.Path]
	switch on.Kind {
	case dependency.Artifacts, dependency.IDs:
		return r.other[on]
	case dependency.Link:
		// A file that is read through a link changes with it.
		return r.other[on] || r.folders[on.Path] || known || !d.Found
	case dependency.Folder:
		return r.folders[on.Path]
	case dependency.Entries, dependency.Files, dependency.Folders:
		// One with a pattern stands for all: whoever wrote it says which names matter.
		return slices.ContainsFunc(r.listed[on.Path], func(k dependency.Dependency) bool {
			return k == on || k.Kind == dependency.Entries || on.Kind == dependency.Entries && k.Kind == dependency.Files
		})
	case dependency.Extracts:
		return r.asked[on]
	case dependency.Extract:
		if r.asked[on] {
			return true
		}
		// The whole file stands for its extracts.
	case dependency.File, dependency.Presence:
	}
	onlyThere := !d.Found || on.Kind == dependency.Presence
	return known && (byContent || onlyThere) || onlyThere && slices.ContainsFunc(r.listed[path.Dir(on.Path)], func(k dependency.Dependency) bool {
		return k.Kind != dependency.Folders && contents.Named(k, path.Base(on.Path))
	})
}

// describeHidden says what is hidden of an action, and what to do. traced says whether a
// program was seen doing it.
func describeHidden(kind FindingKind, a *plan.Action, inputs []dependency.Dependency, traced bool) string {
	what, are, them := pathname.Show(inputName(inputs[0])), "is", "it"
	if n := len(inputs) - 1; n > 0 {
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
	return fmt.Sprintf("%s %s; add reads = [%s], or have all that it reads recorded by deps = \"trace\"", program(a), text, strings.Join(asReads(a.Path, inputs), ", "))
}

// inputName is a dependency as people know it: a folder ends in a slash.
func inputName(on dependency.Dependency) string {
	if on.Kind == dependency.Folder {
		on.Kind = dependency.Entries
	}
	return on.String()
}

// program names what an action runs; of a chain, one of the programs that it runs.
func program(a *plan.Action) string {
	if tools := a.Method.Traits().Tools; len(tools) > 0 && a.Method.Then == nil {
		return pathname.Show(tools[0])
	}
	return "a program"
}

// asReads writes inputs, the first few, as the option reads of a rule takes them.
func asReads(source string, inputs []dependency.Dependency) []string {
	const shown = 3
	var reads []string
	for _, on := range inputs[:min(shown, len(inputs))] {
		p, all := on.Path, ""
		if on.Kind.IsListing() || on.Kind == dependency.Extracts {
			all = "/*"
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
