package plan

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Kind is a kind of reason. The JSON output contains its text.
type Kind string

// Why an action runs.
const (
	New                  Kind = "new"
	SourceChanged        Kind = "content changed"
	DependencyChanged    Kind = "dependency changed"
	ArtifactsChanged     Kind = "artifacts changed" // artifacts that a bundle reads
	RecipeChanged        Kind = "recipe changed"
	RecipeVersionChanged Kind = "recipe version changed"
	OptionChanged        Kind = "option changed"
	ToolChanged          Kind = "tool changed"
	MachineChanged       Kind = "kind of machine changed"
	IdentityChanged      Kind = "identity changed"
	OutputMissing        Kind = "output missing"
	OutputEdited         Kind = "output edited"
	OutputRenamed        Kind = "output renamed"
	OutputCount          Kind = "number of outputs changed"
	FailedLastTime       Kind = "failed last time"
	WarnedLastTime       Kind = "warned of last time" // in a strict run
	Forced               Kind = "forced"
	MovedFrom            Kind = "moved"
	HolderChanged        Kind = "holder changed" // recipe whose outputs may contain the source
	Held                 Kind = "not shipped"    // besides another reason: why no outputs
)

// Why an action does not run.
const (
	SameStamp    Kind = "unchanged"
	SameChecksum Kind = "touched but equal"
)

// A Reason is one reason for a decision.
type Reason struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject,omitempty"` // the file, option or tool in question
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
}

// The most frequent lists of reasons are shared, and must not be changed.
var (
	isNew     = []Reason{{Kind: New}}
	Untouched = []Reason{{Kind: SameStamp}}
)

// String returns the reason as one line.
func (r Reason) String() string {
	s := string(r.Kind)
	switch r.Kind {
	case MovedFrom:
		return "moved from " + pathname.Show(r.Subject)
	case Held:
		return "not shipped: part of the cooked " + pathname.Show(r.Subject) + "; a rule that names a recipe for it ships it"
	case OptionChanged:
		s = "option " + r.Subject + " changed"
	case SameStamp:
		return "source, options, dependencies and outputs are unchanged"
	case SameChecksum:
		return pathname.Show(r.Subject) + " has the same content"
	default:
		if r.Subject != "" {
			s += ": " + pathname.Show(r.Subject)
		}
	}
	if r.Old != "" || r.New != "" {
		s += fmt.Sprintf(": %s -> %s", pathname.Show(r.Old), pathname.Show(r.New))
	}
	return s
}
