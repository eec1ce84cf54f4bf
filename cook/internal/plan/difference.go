package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Part is a kind of part of a key. The JSON output contains its text.
type Part string

// Parts of a method, see Methods.Of.
const (
	PartRecipe         Part = "recipe"
	PartRecipeVersion  Part = "recipe version"
	PartOption         Part = "option"
	PartHolder         Part = "holder"
	PartHashedNames    Part = "hashed names"
	PartMachine        Part = "kind of machine"
	PartProgram        Part = "program"
	PartLibrary        Part = "library"
	PartSystemLibrary  Part = "system library"
	PartProgramVersion Part = "program version"
)

// Parts of a key in addition to its method. Each kind of dependency is a part, too.
const (
	PartSource   Part = "source"
	PartOutputs  Part = "outputs"
	PartCook     Part = "version of cook" // versions of cook that compute different keys from equal parts
	PartArtifact Part = "artifact"        // artifacts that differ although the keys are equal
)

// partOfDependency returns the part of a key that a dependency is, and its name.
func partOfDependency(on dependency.Dependency) (part Part, subject string) {
	switch on.Kind {
	case dependency.File:
		return "file", on.Path
	case dependency.Presence:
		return "presence of file", on.Path
	case dependency.Link:
		return "target of link", on.Path
	case dependency.Folder:
		return "presence of directory", on.String()
	case dependency.Entries:
		return "names in directory", on.String()
	case dependency.Files:
		return "names of files", on.String()
	case dependency.Folders:
		return "names of directories", on.String()
	case dependency.Extract:
		return "data of file", on.String()
	case dependency.Extracts:
		return "data of files", on.String()
	case dependency.Artifacts:
		return "artifacts", strings.Join(on.Patterns(), " ")
	case dependency.IDs:
		return "asset IDs", strings.Join(on.Patterns(), " ")
	case dependency.Name:
		subject, _ = on.NamedOutput()
		return "name of artifact", subject
	}
	panic("the dependency has no kind")
}

// partOfField returns the part of a key that a field of a method is, and the name of the option or
// program.
func partOfField(key string) (part Part, subject string) {
	switch {
	case key == fieldRecipe, strings.HasPrefix(key, fieldRecipe+rules.Of):
		return PartRecipe, strings.TrimPrefix(strings.TrimPrefix(key, fieldRecipe), rules.Of)
	case key == fieldVersion, strings.HasPrefix(key, fieldVersion+rules.Of):
		return PartRecipeVersion, strings.TrimPrefix(strings.TrimPrefix(key, fieldVersion), rules.Of)
	case key == fieldHolder:
		return PartHolder, ""
	case key == fieldLinked:
		return PartHashedNames, ""
	case key == fieldKind:
		return PartMachine, ""
	case key == fieldMachine:
		return PartSystemLibrary, ""
	}
	if name, ok := strings.CutPrefix(key, fieldTool); ok {
		return PartProgram, name
	}
	if name, ok := strings.CutPrefix(key, fieldLibrary); ok {
		return PartLibrary, name
	}
	if command, ok := strings.CutPrefix(key, fieldPrinted); ok {
		return PartProgramVersion, command
	}
	return PartOption, key
}

// A Difference is one part of a key that differs between an action and a recorded action.
type Difference struct {
	Part    Part   `json:"part"`
	Subject string `json:"subject,omitempty"` // name of the option, program or dependency
	Here    string `json:"here"`
	There   string `json:"there"`
	From    string `json:"from,omitempty"` // origin of the option's value here, such as "cook.toml:3"
}

// InWords returns the difference as one line. other is the name of the other side.
func (d *Difference) InWords(other string) string {
	what := string(d.Part)
	if d.Subject != "" {
		what += " " + pathname.Show(d.Subject)
	}
	here := pathname.Show(d.Here) + " here"
	if d.From != "" {
		here += " (" + pathname.Show(d.From) + ")"
	}
	line := fmt.Sprintf("%s: %s, %s in %s", what, here, pathname.Show(d.There), other)
	if d.Part == PartArtifact {
		line += ", although all inputs are equal: the recipe is not deterministic; run cook verify"
	}
	return line
}

// CompareKeys returns the parts of the key that differ between an action and a recorded action for the
// same source and target. If there are none, the recorded result is the result of the action.
//
// The function present returns the present content of a dependency. CompareKeys calls it for the
// dependencies of there. So it finds the differences even if the action was never cooked. If an
// action reads other dependencies than there, another part of its key differs.
//
// Digests count as equal if their first 8 bytes are equal, because the records of earlier runs keep
// only these bytes.
func CompareKeys(here *Action, there *index.Action, present func(dependency.Dependency) contents.File) []Difference {
	list := compareMethods(here.Method, there.Method)
	if !sameDigest(here.Source.Blob, there.Source) {
		list = append(list, Difference{Part: PartSource, Here: shortID(here.Source.Blob), There: shortID(there.Source)})
	}
	for _, d := range there.Deps {
		if diff, differs := compareDependency(d, present(d.On)); differs {
			list = append(list, diff)
		}
	}
	if diff, differs := compareOutputs(here, there); differs {
		list = append(list, diff)
	}
	if len(list) > 0 {
		return list
	}
	if there.ID != (store.ActionID{}) && !sameDigest(here.ID, there.ID) {
		return []Difference{{Part: PartCook, Here: "key " + shortID(here.ID), There: "key " + shortID(there.ID)}}
	}
	return compareArtifacts(here, there)
}

func sameDigest[ID ~[32]byte](a, b ID) bool { return [8]byte(a[:8]) == [8]byte(b[:8]) }

// compareMethods compares the fields of a method with recorded fields.
func compareMethods(here *Method, there index.Method) (list []Difference) {
	values := map[string]string{}
	for _, f := range there {
		values[f.Key] = f.Value
	}
	differ := func(key, now, other string) {
		part, subject := partOfField(key)
		d := Difference{Part: part, Subject: subject, Here: now, There: other}
		switch part {
		case PartProgram, PartLibrary:
			d.Here, d.There = shortenText(cmp.Or(now, none)), shortenText(cmp.Or(other, none))
		case PartSystemLibrary:
			r := machineChange(other, now)
			d.Subject, d.Here, d.There = r.Subject, r.New, r.Old
		case PartOption:
			d.From = originOf(here, key)
			d.Here, d.There = shortenApart(now, other)
		default:
			d.Here, d.There = shortenApart(now, other)
		}
		list = append(list, d)
	}
	for _, f := range here.Fields {
		other, ok := values[f.Key]
		delete(values, f.Key)
		switch {
		case !ok:
			differ(f.Key, f.Value, none)
		case other != f.Value:
			differ(f.Key, f.Value, other)
		}
		// Different recipes have different options, so the name alone explains the difference.
		if f.Key == fieldRecipe && len(list) > 0 {
			return list
		}
	}
	for _, f := range there {
		if other, ok := values[f.Key]; ok {
			differ(f.Key, none, other)
		}
	}
	return list
}

// originOf returns the position in the rules that sets an option. It returns "" for an unknown
// option.
func originOf(m *Method, key string) string {
	for step := range m.Choice.Steps("") {
		for _, o := range step.Options {
			if o.Key+step.Of == key {
				return o.From.String()
			}
		}
	}
	return ""
}

// shownValue is the maximum length of a value in a Difference.
const shownValue = 100

// shortenApart returns two values in a short form on one line. The short forms of different values
// differ: if the values have a long common beginning, it is left out.
func shortenApart(a, b string) (shortA, shortB string) {
	const context = 20
	common := 0
	if max(len(a), len(b)) > shownValue {
		for common < min(len(a), len(b)) && a[common] == b[common] {
			common++
		}
		common = max(0, common-context)
	}
	shorten := func(s string) string {
		s = strings.ToValidUTF8(s[common:], "")
		if common > 0 {
			s = "..." + s
		}
		return versionLine(s)
	}
	if shortA, shortB = shorten(a), shorten(b); shortA == shortB { // the values differ in spaces
		return a[common:], b[common:]
	}
	return shortA, shortB
}

// compareDependency compares a recorded dependency with its present content.
func compareDependency(d index.Dep, file contents.File) (diff Difference, differs bool) {
	now := Dependency(d.Name, d.On, file)
	if file.How != contents.Unreadable && now.Found == d.Found && sameDigest(now.Blob, d.Blob) {
		return diff, false
	}
	part, subject := partOfDependency(d.On)
	diff = Difference{Part: part, Subject: subject, Here: contentInWords(now), There: contentInWords(d)}
	if file.How == contents.Unreadable {
		diff.Here = "unreadable"
		if file.Err != nil {
			diff.Here += " (" + file.Err.Error() + ")"
		}
	}
	return diff, true
}

// contentInWords describes the content that an action read from a dependency.
func contentInWords(d index.Dep) string {
	if !d.Found {
		return "absent"
	}
	switch d.On.Kind {
	case dependency.Presence, dependency.Folder:
		return "present"
	case dependency.Extract, dependency.Extracts:
		return shortAnswer(d.Blob)
	case dependency.Name:
		final, _ := FinalName(d)
		return final
	case dependency.File, dependency.Link, dependency.Entries, dependency.Files, dependency.Folders, dependency.Artifacts, dependency.IDs:
	}
	return shortID(d.Blob)
}

// compareOutputs compares the names of the outputs of an action with recorded names.
func compareOutputs(here *Action, there *index.Action) (diff Difference, differs bool) {
	if there.State != index.Done {
		return diff, false
	}
	var names []string
	same := len(here.Outputs) == len(there.Made)
	for i := range there.Made {
		names = append(names, there.Made[i].Path)
		same = same && here.IsOutput(i, &there.Made[i])
	}
	listed := func(names []string) string { return cmp.Or(strings.Join(names, " "), none) }
	return Difference{Part: PartOutputs, Here: listed(here.ShownOutputs()), There: listed(names)}, !same
}

// compareArtifacts compares the artifacts of an action that is up to date with recorded artifacts.
func compareArtifacts(here *Action, there *index.Action) (list []Difference) {
	if here.Last == nil || here.State != Rests || here.Last.State != index.Done || there.State != index.Done {
		return nil
	}
	for i := range there.Made {
		if i >= len(here.Last.Made) {
			break
		}
		if now, other := &here.Last.Made[i], &there.Made[i]; !sameDigest(now.Blob, other.Blob) {
			list = append(list, Difference{Part: PartArtifact, Subject: now.Path, Here: shortID(now.Blob), There: shortID(other.Blob)})
		}
	}
	return list
}
