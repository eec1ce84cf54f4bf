package recipe

import (
	"context"
	"errors"
)

// A Checker judges options that are each right but may not fit together. It is
// asked once per rule, before anything is cooked.
type Checker interface {
	// Check returns nil or an *OptionError.
	Check() error
}

// An Estimator says how much memory one asset needs. Cookers without it are
// taken to need three times the source's size.
type Estimator interface {
	// Estimate returns the peak bytes that Cook will hold for a source of the
	// given size that starts with head. An error refuses the source before
	// anything is allocated for it; ErrShortHead asks to be shown all of it.
	Estimate(head []byte, size int64) (int64, error)
}

// An Explainer can say what it makes of a source, and why, beyond what the options
// say.
type Explainer interface {
	// Explain returns lines for people. It reads through job as Cook does and
	// writes nothing.
	Explain(ctx context.Context, job *Job) ([]string, error)
}

// A Linter knows what is odd about a source though it can be cooked.
type Linter interface {
	// Lint returns a line for each oddity of a source of the given path and size
	// that starts with head, which is HeadSize bytes long if there are as many.
	// The lines need not name the source.
	Lint(path string, head []byte, size int64) []string
}

// HeadSize is how many bytes of a source an Estimator is shown at first.
const HeadSize = 64 << 10

// ErrShortHead is what an Estimator says if the head does not tell.
var ErrShortHead = errors.New("more of the source is needed")

// An Asker asks all files of folders what they say of the source.
type Asker interface {
	// Asks asks all that Cook asks by Job.ReadExtracts, and uses nothing else of the job.
	// The answers, which it does not get, are part of the action's identity, so that what
	// was made is found without knowing what was read for it.
	Asks(job *Job) error
}

// A Bundler takes artifacts, as Recipe.Bundles says, with some options only.
type Bundler interface {
	// Bundles reports whether Cook asks for artifacts with the options as they are.
	Bundles() bool
}

// A PathUser makes bytes that depend on where the source lies, as Recipe.UsesPath says, with
// some options only.
type PathUser interface {
	// UsesPath reports whether Cook asks for Job.Path with the options as they are.
	UsesPath() bool
}

// A ToolUser runs programs. Their content is part of the action's identity.
type ToolUser interface {
	// Tools are program names to be found on PATH, or files: absolute, or
	// relative to the asset tree when they contain a slash.
	Tools() []string
}

// A MachineUser makes bytes that may differ in the last bits of numbers from one kind
// of machine to another, as where a library rounds as the processor does. Each kind
// then has results of its own.
type MachineUser interface {
	// Machine names the kind of this machine; "" if the options as they are make
	// the same bytes on all.
	Machine() string
}
