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

// reportHiddenInputs reports hidden dependencies: the action had them when it was cooked again, but
// they are not recorded. If such a file changed, nothing would be cooked. An absent file is only a
// warning, because depfiles do not name absent files, and nothing is wrong until the file appears.
func (w *worker) reportHiddenInputs(a *plan.Action, now attempt) {
	recorded := recordedInputsOf(a.Path, a.Last.Deps)
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
		f := Finding{Kind: kind, Path: a.Path, Target: a.Target, Recipe: a.Method.Choice.Recipe.Name, Warning: kind != HiddenRead,
			Text: describeHidden(kind, a, inputs, now.traced)}
		for _, on := range inputs {
			f.Inputs = append(f.Inputs, inputName(on))
		}
		w.report.reportFinding(f)
	}
}

// hiddenKind returns the kind of finding for a dependency that is not recorded.
func hiddenKind(d index.Dep) FindingKind {
	switch {
	case d.On.Kind.IsListing() || d.On.Kind.IsArtifacts():
		return HiddenListing
	case !d.Found:
		return HiddenAbsence
	}
	return HiddenRead
}

// recordedInputs holds the recorded dependencies of an action.
type recordedInputs struct {
	files   map[string]bool // dependencies on files, by path; false if only the presence of the file matters
	asked   map[dependency.Dependency]bool
	listed  map[string][]dependency.Dependency
	folders map[string]bool // directories that contain an input
	other   map[dependency.Dependency]bool
}

// recordedInputsOf collects the dependencies of a source.
func recordedInputsOf(source string, deps []index.Dep) recordedInputs {
	r := recordedInputs{
		files: map[string]bool{source: true}, asked: map[dependency.Dependency]bool{}, listed: map[string][]dependency.Dependency{},
		folders: map[string]bool{}, other: map[dependency.Dependency]bool{},
	}
	r.noteHolder(path.Dir(source))
	for _, d := range deps {
		switch on := d.On; on.Kind {
		case dependency.Artifacts, dependency.IDs, dependency.Name:
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
			r.noteHolder(d.On.InFolder())
		}
	}
	return r
}

// noteHolder records a directory whose removal would change a recorded dependency.
func (r *recordedInputs) noteHolder(folder string) {
	for ; !r.folders[folder]; folder = path.Dir(folder) {
		r.folders[folder] = true
	}
}

// stands reports whether a recorded dependency covers the given dependency: each change of the
// given dependency also changes the recorded dependency.
func (r *recordedInputs) stands(d index.Dep) bool {
	on := d.On
	byContent, known := r.files[on.Path]
	switch on.Kind {
	case dependency.Artifacts, dependency.IDs, dependency.Name:
		return r.other[on]
	case dependency.Link:
		// A file that is read through a link changes together with the recorded link.
		return r.other[on] || r.folders[on.Path] || known || !d.Found
	case dependency.Folder:
		return r.folders[on.Path]
	case dependency.Entries, dependency.Files, dependency.Folders:
		// A listing with a pattern covers other listings, because its pattern selects the names
		// that matter to the recipe.
		return slices.ContainsFunc(r.listed[on.Path], func(k dependency.Dependency) bool {
			return k == on || k.Kind == dependency.Entries || on.Kind == dependency.Entries && k.Kind == dependency.Files
		})
	case dependency.Extracts:
		return r.asked[on]
	case dependency.Extract:
		if r.asked[on] {
			return true
		}
		// A dependency on the whole file covers its extracts.
	case dependency.File, dependency.Presence:
	}
	onlyThere := !d.Found || on.Kind == dependency.Presence
	return known && (byContent || onlyThere) || onlyThere && slices.ContainsFunc(r.listed[path.Dir(on.Path)], func(k dependency.Dependency) bool {
		return k.Kind != dependency.Folders && contents.Named(k, path.Base(on.Path))
	})
}

// describeHidden returns the text of a finding about hidden inputs. traced means that a program
// was observed reading them.
func describeHidden(kind FindingKind, a *plan.Action, inputs []dependency.Dependency, traced bool) string {
	what, are, them := pathname.Show(inputName(inputs[0])), "is", "it"
	if n := len(inputs) - 1; n > 0 {
		what, are, them = what+" and "+human.Count(n, "other"), "are", "them"
	}
	var text string
	switch kind {
	case HiddenRead:
		text = fmt.Sprintf("read %s, which %s not among its inputs: after an edit of %s, cook would not cook this asset again", what, are, them)
	case HiddenAbsence:
		text = fmt.Sprintf("looked for %s, which %s absent: if that file appeared, cook would not cook this asset again", what, are)
	default:
		text = fmt.Sprintf("listed %s: if files appeared there, cook would not cook this asset again", what)
	}
	if !traced {
		return fmt.Sprintf("the recipe %q %s; the recipe does not read the same files each time", a.Method.Choice.Recipe.Name, text)
	}
	return fmt.Sprintf("%s %s; add reads = [%s], or record all reads with deps = \"trace\"", program(a), text, strings.Join(asReads(a.Path, inputs), ", "))
}

// inputName returns the name of a dependency for people. For a directory, it ends in a slash.
func inputName(on dependency.Dependency) string {
	if on.Kind == dependency.Folder {
		on.Kind = dependency.Entries
	}
	return on.String()
}

// program names the program of an action. For a chain, it names any of its programs.
func program(a *plan.Action) string {
	if tools := a.Method.Choice.Traits().Tools; len(tools) > 0 && a.Method.Choice.Then == nil {
		return pathname.Show(tools[0])
	}
	return "a program"
}

// asReads formats the first few inputs as values of a rule's option reads.
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
