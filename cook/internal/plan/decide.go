package plan

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/program"
)

// A Decision says whether an action runs, and why.
type Decision struct {
	Runs    bool
	Reasons []Reason // reasons to run or to skip the action
	Stale   bool
}

// State returns the state of an action after a decision.
func (d Decision) State() State {
	if d.Runs {
		return Runs
	}
	return Rests
}

// Decide decides whether an action runs. It reads nothing but its arguments.
func Decide(a *Action, f Facts, demand Demand) (d Decision) {
	if a.Last == nil {
		d.Reasons = isNew[:1:1]
	} else {
		d.Reasons = inputChanges(a, f)
		d.Stale = len(d.Reasons) > 0
		if a.Last.Warned && demand.Strict {
			d.Reasons = append(d.Reasons, Reason{Kind: WarnedLastTime})
		}
		if a.Last.State == index.Failed {
			d.Reasons = append(d.Reasons, Reason{Kind: FailedLastTime})
		} else {
			d.Reasons = append(d.Reasons, outputChanges(a)...)
		}
	}
	if demand.Force {
		d.Reasons = append(d.Reasons, Reason{Kind: Forced})
	}
	if d.Runs = len(d.Reasons) > 0; !d.Runs {
		d.Reasons = skipReasons(a)
	}
	return d
}

// ExpectedQuestions returns the artifacts and IDs that a late action will probably query, which
// are the queries of the last run. It returns none if the source or a file that the action read has changed.
func ExpectedQuestions(a *Action, f Facts) (questions []dependency.Dependency) {
	if a.Last == nil || a.Last.State != index.Done || a.Last.Source != a.Source.Blob {
		return nil
	}
	for _, d := range a.Last.Deps {
		if d.On.Kind.IsArtifacts() {
			questions = append(questions, d.On)
		} else if _, changed := dependencyChange(d, f); changed {
			return nil
		}
	}
	return questions
}

// inputChanges compares the inputs of an action with its inputs in the last run: source, method
// and dependencies.
func inputChanges(a *Action, f Facts) (reasons []Reason) {
	if a.Last.Source != a.Source.Blob {
		reasons = append(reasons, Reason{Kind: SourceChanged, Old: shortID(a.Last.Source), New: shortID(a.Source.Blob)})
	}
	reasons = append(reasons, methodChanges(a)...)
	var open []Reason
	for _, d := range a.Last.Deps {
		later := d.On.Kind.IsArtifacts() && f.Open(d.On) // checked before the comparison, because the artifacts may be made meanwhile
		switch r, changed := dependencyChange(d, f); {
		case changed && (later || isName(d)): // a changed name alone is no reason to cook an action again
			open = append(open, r)
		case changed:
			reasons = append(reasons, r)
		}
	}
	switch {
	case len(reasons) > 0:
	case a.Last.ID == a.ID:
		// The action waits for artifacts that are still to be made, because they may turn out
		// unchanged. If there are other reasons to run, it does not wait.
		reasons = open
	default:
		// Either the ID contains the path of the source, or this version of cook computes IDs
		// differently.
		reasons = append(reasons, Reason{Kind: IdentityChanged, Old: shortID(a.Last.ID), New: shortID(a.ID)})
	}
	return reasons
}

// mostHolders limits the number of holders that a reason names.
const mostHolders = 3

// holderOf returns the reason why a source has no outputs.
func holderOf(holders []string) Reason {
	if more := len(holders) - mostHolders; more > 0 {
		holders = append(holders[:mostHolders:mostHolders], fmt.Sprintf("%d more", more))
	}
	return Reason{Kind: Held, Subject: strings.Join(holders, ", ")}
}

// dependencyChange compares the content of a dependency in the last run with its present content.
func dependencyChange(d index.Dep, f Facts) (Reason, bool) {
	now := f.File(d.On)
	if now.How != contents.Unreadable && Dependency(d.Name, d.On, now) == d {
		return Reason{}, false
	}
	if isName(d) {
		return nameChange(d, now), true
	}
	if d.On.Kind.IsArtifacts() {
		return Reason{Kind: ArtifactsChanged, Subject: f.Changes(d.On)}, true
	}
	r := Reason{Kind: DependencyChanged, Subject: d.On.String(), Old: "absent", New: "absent"}
	shown := shortID[store.BlobID]
	if d.On.Kind.IsExtract() {
		r.Subject, shown = f.Said(d.On), shortAnswer
	}
	if d.Found {
		r.Old = shown(d.Blob)
	}
	switch {
	case now.How == contents.Unreadable:
		r.New = "unreadable"
	case now.Known():
		r.New = shown(now.Blob)
	}
	if d.On.Kind == dependency.Presence {
		for _, s := range []*string{&r.Old, &r.New} {
			if *s != "absent" && *s != "unreadable" {
				*s = "present"
			}
		}
	}
	return r, true
}

// nameChange returns the reason to run if the name of an artifact has changed since the last run.
func nameChange(d index.Dep, now contents.File) Reason {
	source, output := d.On.NamedOutput()
	name, _ := hashname.Parse("", output)
	r := Reason{Kind: NameChanged, Subject: source, Old: name.With(hashname.Digits(d.Blob)), New: name.Shape()}
	switch {
	case now.Known() && now.Blob != (store.BlobID{}):
		r.New = name.With(hashname.Digits(now.Blob))
	case !now.Known():
		r.New = "absent"
	}
	return r
}

// shortAnswer returns the short form of an extract's answer.
func shortAnswer(id store.BlobID) string {
	if id == contents.Silence {
		return "nothing"
	}
	return shortID(id)
}

// Dependency returns the dependency of an action on a file that it requested by name: on the
// content, or only on the presence of the file.
func Dependency(name string, on dependency.Dependency, f contents.File) index.Dep {
	d := index.Dep{On: on, Name: name, Found: f.Known()}
	if d.Found && on.Kind != dependency.Presence {
		d.Blob = f.Blob
	}
	return d
}

// outputChanges compares the outputs of an action with its outputs in the last run.
func outputChanges(a *Action) []Reason {
	var reasons []Reason
	for i, o := range a.Last.Outputs {
		switch {
		case i < len(a.Outputs) && !a.IsOutput(i, o.Artifact):
			reasons = append(reasons, Reason{Kind: OutputRenamed, Old: o.Artifact.Path, New: a.ShownOutput(i)})
		case o.State == contents.Missing:
			reasons = append(reasons, Reason{Kind: OutputMissing, Subject: o.Artifact.Path})
		case o.State != contents.Intact:
			reasons = append(reasons, Reason{Kind: OutputEdited, Subject: o.Artifact.Path})
		}
	}
	if len(a.Last.Outputs) != len(a.Outputs) {
		reasons = append(reasons, Reason{Kind: OutputCount, Old: fmt.Sprint(len(a.Last.Outputs)), New: fmt.Sprint(len(a.Outputs))})
	}
	return reasons
}

// skipReasons returns the reasons why an action does not run.
func skipReasons(a *Action) []Reason {
	if a.Source.How != contents.ByStamp {
		return []Reason{{Kind: SameChecksum, Subject: a.Path}}
	}
	for _, o := range a.Last.Outputs {
		if o.ByReads {
			return []Reason{{Kind: SameChecksum, Subject: o.Artifact.Path}}
		}
	}
	return Untouched[:1:1]
}

// methodChanges compares the method of an action with its method in the last run, field by
// field.
func methodChanges(a *Action) []Reason {
	old := a.Last.Method
	if slices.Equal(old, a.Method.Fields) {
		return nil
	}
	was := map[string]string{}
	for _, f := range old {
		was[f.Key] = f.Value
	}
	// A different recipe has different options, so its name alone explains the change.
	if name := a.Method.Choice.Recipe.Name; was[fieldRecipe] != name {
		return []Reason{{Kind: RecipeChanged, Old: was[fieldRecipe], New: name}}
	}
	var reasons []Reason
	change := func(key, from, to string) {
		if key == fieldMachine {
			reasons = append(reasons, machineChange(from, to))
			return
		}
		r := Reason{Kind: OptionChanged, Subject: key, Old: from, New: to}
		if name, ok := ToolOf(index.Field{Key: key}); ok {
			r = Reason{Kind: ToolChanged, Subject: name, Old: shortenText(cmp.Or(from, none)), New: shortenText(cmp.Or(to, none))}
		} else if command, ok := strings.CutPrefix(key, fieldPrinted); ok {
			r = Reason{Kind: ToolChanged, Subject: command, Old: versionLine(from), New: versionLine(to)}
		} else if key == fieldKind {
			r = Reason{Kind: MachineChanged, Old: from, New: to}
		} else if key == fieldHolder {
			r = Reason{Kind: HolderChanged, Old: from, New: to}
		} else if key == fieldVersion {
			r = Reason{Kind: RecipeVersionChanged, Subject: a.Method.Choice.Recipe.Name, Old: from, New: to}
		}
		reasons = append(reasons, r)
	}
	for _, f := range a.Method.Fields {
		before, ok := was[f.Key]
		switch {
		case !ok:
			change(f.Key, none, f.Value)
		case before != f.Value:
			change(f.Key, before, f.Value)
		}
		delete(was, f.Key)
	}
	for _, f := range old {
		if value, ok := was[f.Key]; ok {
			change(f.Key, value, none)
		}
	}
	return reasons
}

// none stands for an absent value.
const none = "none"

// machineChange names the first system library that changed, and the number of others.
func machineChange(from, to string) Reason {
	old, now := librariesOf(from), librariesOf(to)
	both := maps.Clone(old)
	maps.Copy(both, now)
	var changed []string
	for _, library := range slices.Sorted(maps.Keys(both)) {
		if old[library] != now[library] {
			changed = append(changed, library)
		}
	}
	first := changed[0]
	r := Reason{Kind: ToolChanged, Subject: first, Old: cmp.Or(old[first], none), New: cmp.Or(now[first], none)}
	if n := len(changed) - 1; n > 0 {
		r.Subject += fmt.Sprintf(" and %d more", n)
	}
	return r
}

// librariesOf returns the system libraries that a field lists, each with its files.
func librariesOf(value string) map[string]string {
	files := map[string]string{}
	if value == none {
		return files
	}
	for name := range strings.SplitSeq(value, "\n") {
		library, file := program.Named(name)
		files[library] = file
	}
	return files
}

// shortID returns an ID in a short form for people.
func shortID[ID ~[32]byte](id ID) string { return hex.EncodeToString(id[:6]) }

// versionLine returns the output of a version command on one line.
func versionLine(output string) string {
	line := strings.Join(strings.Fields(output), " ")
	const most = 100
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "..."
	}
	return line
}

func shortenText(id string) string { return id[:min(12, len(id))] }
