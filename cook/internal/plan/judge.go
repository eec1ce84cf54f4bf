package plan

import (
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
)

// judge collects the reasons for running an action, or for leaving it.
func (p *planner) judge(a *Action) {
	run := func(r Reason) { a.Reasons = append(a.Reasons, r) }
	if a.Last == nil {
		a.Reasons = isNew[:1:1]
	} else {
		if a.Last.Source != a.Source.Blob {
			run(Reason{Kind: SourceChanged, Old: short(a.Last.Source), New: short(a.Source.Blob)})
		}
		for _, r := range p.methodChanges(a) {
			run(r)
		}
		var open []Reason
		for _, d := range a.Last.Deps {
			later := d.On.Kind.IsArtifacts() && p.Open(d.On) // asked first: it may be made meanwhile
			switch r, changed := p.depChange(d); {
			case changed && later:
				open = append(open, r)
			case changed:
				run(r)
			}
		}
		if len(a.Reasons) == 0 && a.Last.ID == a.ID {
			// Whether artifacts change that are still to be made is not known yet. It is a
			// reason to find out, beside others it is none.
			a.Reasons = append(a.Reasons, open...)
		}
		if a.Last.ID != a.ID && len(a.Reasons) == 0 {
			// The path is in the ID, or the cooker's own way of making IDs changed.
			run(Reason{Kind: IdentityChanged, Old: short(a.Last.ID), New: short(a.ID)})
		}
		a.Stale = len(a.Reasons) > 0
		if a.Last.Warned && p.Strict {
			run(Reason{Kind: WarnedLastTime})
		}
		if a.Last.State == index.Failed {
			run(Reason{Kind: FailedLastTime})
		} else {
			for _, r := range outputChanges(a) {
				run(r)
			}
		}
	}
	if p.Force {
		run(Reason{Kind: Forced})
	}
	if a.Runs = len(a.Reasons) > 0; !a.Runs {
		a.Reasons = skipReasons(a)
	}
}

// mostHolders is how many holders of a source are named.
const mostHolders = 3

// heldBy is the reason why a source has no outputs.
func heldBy(holders []string) Reason {
	if more := len(holders) - mostHolders; more > 0 {
		holders = append(holders[:mostHolders:mostHolders], fmt.Sprintf("%d more", more))
	}
	return Reason{Kind: Held, Subject: strings.Join(holders, ", ")}
}

func (p *planner) depChange(d index.Dep) (Reason, bool) {
	now := p.File(d.On)
	if now.How != contents.Unreadable && Dependency(d.Name, d.On, now) == d {
		return Reason{}, false
	}
	if d.On.Kind.IsArtifacts() {
		return Reason{Kind: ArtifactsChanged, Subject: p.Changes(d.On)}, true
	}
	r := Reason{Kind: DependencyChanged, Subject: d.On.String(), Old: "absent", New: "absent"}
	shown := short[store.BlobID]
	if d.On.Kind.IsExtract() {
		r.Subject, shown = p.Said(d.On), shortAnswer
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

// shortAnswer is short of what an extract says.
func shortAnswer(id store.BlobID) string {
	if id == contents.Silence {
		return "nothing"
	}
	return short(id)
}

// Dependency is what an action depends on of a file, that it asked for under a name: its content,
// or only that it is there.
func Dependency(name string, on dependency.Dependency, f contents.File) index.Dep {
	d := index.Dep{On: on, Name: name, Found: f.Known()}
	if d.Found && on.Kind != dependency.Presence {
		d.Blob = f.Blob
	}
	return d
}

func outputChanges(a *Action) []Reason {
	var reasons []Reason
	for i, o := range a.Last.Outputs {
		switch {
		case i < len(a.Outputs) && o.Artifact.Path != a.Outputs[i]:
			reasons = append(reasons, Reason{Kind: OutputRenamed, Old: o.Artifact.Path, New: a.Outputs[i]})
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
