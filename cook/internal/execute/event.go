package execute

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// An Outcome is how an action ended.
type Outcome string

const (
	UpToDate  Outcome = "up to date"
	Unchanged Outcome = "unchanged" // an input changed, its cooked form did not
	Restored  Outcome = "restored"  // the result was known and not cooked again
	Cooked    Outcome = "cooked"
	Failed    Outcome = "failed"
	// NotShipped is a source without outputs, because cooked assets hold it.
	NotShipped Outcome = "not shipped"
	Removed    Outcome = "removed" // an artifact whose source is gone, or failed after it changed
	// Warned ends no action: something about its source looks like a mistake.
	Warned Outcome = "warned"
	// NotReached is an action that the run ended before.
	NotReached Outcome = "not reached"
	// Error is a failure that is no action's: a folder that cannot be listed, an
	// artifact of a source that is gone that cannot be removed.
	Error Outcome = "error"
)

// Ends reports whether an outcome is how an action ended.
func (o Outcome) Ends() bool { return o != Removed && o != Warned && o != Error }

// An Event is something that happened to one action. Started comes only for actions
// that run.
type Event struct {
	Started bool
	Path    string // the source
	Target  string
	Recipe  string // "" if none could be chosen
	Outcome Outcome
	Reasons []plan.Reason
	Outputs []string
	// In and Out are the bytes of source and artifacts.
	In, Out int64
	// Took is how long the work took here; CookTime is how long cooking takes, as
	// measured when it was last done.
	Took, CookTime time.Duration
	// Err is why it failed, or the warning.
	Err error
}
