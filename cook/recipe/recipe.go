// Package recipe says what a recipe is: how one kind of source is cooked.
//
// A recipe is written as a struct. Its exported fields are the options that a
// user may set in cook.toml, its Cook method does the work:
//
//	type Upper struct {
//		Suffix string `toml:"suffix" doc:"text put after the last line"`
//	}
//
//	func (u *Upper) Outputs() []string { return []string{"{path}"} }
//
//	func (u *Upper) Cook(ctx context.Context, job *recipe.Job) error {
//		text, err := job.Source()
//		if err != nil {
//			return err
//		}
//		return job.Write(0, append(bytes.ToUpper(text), u.Suffix...))
//	}
//
//	var upper = recipe.Recipe{
//		Name: "upper", Version: 1,
//		New: func() recipe.Cooker { return &Upper{Suffix: "\n"} },
//	}
//
// Handing it to cook.Options.Recipes is all it takes for rules to name it.
//
// # What a recipe promises
//
// The bytes it writes are decided by its name, version, options, tools, the
// source's extension and content, and the content of what it read through
// its Job; by its path only where UsesPath says so. Clock, environment, core
// count and map order must not show, and the machine only where a
// MachineUser says so. The cooker relies on it: a result once
// seen is taken from the store ever after.
//
// Options are in the fingerprint by construction: Fields walks the struct, and
// a field stays out only if its tag gives a reason for it.
package recipe

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Recipe names a kind of cooking and makes its options.
type Recipe struct {
	// Name is how rules refer to it: lower-case letters, digits, '-'.
	Name string
	// Version rises whenever the same input and options may give other bytes.
	Version int
	// New returns a pointer to a fresh options struct that holds the defaults.
	New func() Cooker
	// UsesPath says that the bytes depend on where the source lies. Such an
	// asset is cooked again when it is renamed.
	UsesPath bool
	// Cheap says that cooking costs no more than copying the result out of the
	// store, so the store keeps no blobs of it.
	Cheap bool
}

// A Cooker is a recipe's options, filled in and ready to cook. It is used by
// many goroutines at once and must not change while it cooks.
type Cooker interface {
	// Outputs are the templates of the files that Cook writes, in order; see
	// package rules for the words in braces. A rule may replace them one for
	// one. None means that the rule must say.
	Outputs() []string
	// Cook reads the source and its dependencies through job and writes every
	// output. Errors need not name the source: the cooker does.
	Cook(ctx context.Context, job *Job) error
}

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

// A Set holds the recipes that rules may name. It never changes.
type Set struct {
	byName map[string]Recipe
	names  []string
}

// NewSet makes a set. A later recipe replaces an earlier one of the same name,
// so that a program can improve on a built-in one.
func NewSet(recipes ...Recipe) (*Set, error) {
	s := &Set{byName: make(map[string]Recipe, len(recipes)), names: make([]string, 0, len(recipes))}
	for _, r := range recipes {
		if err := check(r); err != nil {
			return nil, fmt.Errorf("recipe %q: %w", r.Name, err)
		}
		if _, ok := s.byName[r.Name]; !ok {
			s.names = append(s.names, r.Name)
		}
		s.byName[r.Name] = r
	}
	slices.Sort(s.names)
	return s, nil
}

// Lookup finds a recipe by name.
func (s *Set) Lookup(name string) (Recipe, bool) {
	r, ok := s.byName[name]
	return r, ok
}

// Names lists the recipes in order. The caller must not change the slice.
func (s *Set) Names() []string { return s.names }

func check(r Recipe) error {
	if r.Name == "" {
		return fmt.Errorf("no name")
	}
	for _, c := range []byte(r.Name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return fmt.Errorf("name may hold a-z, 0-9 and '-' only")
		}
	}
	if r.Version < 1 {
		return fmt.Errorf("version must be at least 1")
	}
	if r.New == nil {
		return fmt.Errorf("the New function is nil")
	}
	return checkOptions(r.New())
}
