// Package cmdline is the frame of all verbs of cook. It parses a command line, completes it from
// the environment and the project, and prints errors.
//
// A verb is declared in one file of a family of verbs, in this order: its [Verb], its options, the
// flags, the function that runs it.
package cmdline

import (
	"context"
	"flag"
	"io"
	"slices"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A Verb is a word that may stand first on the command line. Help, completion and the manual page
// are made from its fields.
type Verb struct {
	Name     string // "" for a command line without a verb
	Synopsis string // follows "cook "
	Summary  string
	Text     string // begins with the usage
	Takes    Argument

	// New returns the flags of one command line, and the function to call with its words.
	New func() Handler

	// Run replaces the parsing of New's flags, unless it is nil.
	Run func(context.Context, *Call) (status int)

	// Help prints the answer to -h. If it is nil, Text and the flags are printed.
	Help func(*Call, io.Writer)
}

// A Handler is one command line of a verb.
type Handler struct {
	Flags func(*flag.FlagSet) // declares the flags; nil for none
	Run   func(ctx context.Context, c *Call, words []string) (status int)
}

// An Argument is what completion offers for a word or for the value of a flag.
type Argument struct {
	Words          func() []string // nil for none
	Files, Folders bool

	// Patterns says that words are patterns of sources: paths become patterns.
	Patterns bool
	// Target says that the first word never names the asset directory.
	Target bool
}

// List returns the words of an argument.
func (a Argument) List() []string {
	if a.Words == nil {
		return nil
	}
	return a.Words()
}

// CookFunc is the type of [cook.Cook].
type CookFunc func(context.Context, cook.Project, cook.CookOptions) (cook.Summary, error)

// A Call is one command line, and all that verbs need from the program.
type Call struct {
	Verbs   []Verb // of the program; the first one has no name
	Recipes []recipe.Recipe
	Cook    CookFunc // tests replace it
	AtWork  func()   // verbs call it before they work on assets
	Args    []string // behind the verb

	Stdout, Stderr io.Writer
}

// Project returns a project that has the recipes of the program.
func (c *Call) Project() cook.Project { return cook.Project{Recipes: c.Recipes} }

// Names lists the verbs.
func (c *Call) Names() (names []string) {
	for i := range c.Verbs[1:] {
		names = append(names, c.Verbs[1+i].Name)
	}
	return names
}

// Find returns the verb of a name, nil if there is none.
func (c *Call) Find(name string) *Verb {
	if i := slices.IndexFunc(c.Verbs, func(v Verb) bool { return v.Name == name }); i >= 0 {
		return &c.Verbs[i]
	}
	return nil
}

// Dispatch runs the verb that the first argument names, or the one without a name.
func (c *Call) Dispatch(ctx context.Context) (status int) {
	v := &c.Verbs[0]
	if len(c.Args) > 0 && c.Args[0] != "" {
		if named := c.Find(c.Args[0]); named != nil {
			v, c.Args = named, c.Args[1:]
		}
	}
	return c.Invoke(ctx, v)
}

// Invoke runs a verb with the arguments of the call.
func (c *Call) Invoke(ctx context.Context, v *Verb) (status int) {
	if v.Run != nil {
		return v.Run(ctx, c)
	}
	return c.Do(ctx, v, v.New())
}

// Do parses the arguments and runs the handler of a verb.
func (c *Call) Do(ctx context.Context, v *Verb, h Handler) (status int) {
	words, status, ok := c.parse(v, h.flagSet(v))
	if !ok {
		return status
	}
	return h.Run(ctx, c, words)
}

// Flags returns the flags of the verb.
func (v *Verb) Flags() *flag.FlagSet {
	if v.New == nil {
		return Handler{}.flagSet(v)
	}
	return v.New().flagSet(v)
}

func (h Handler) flagSet(v *Verb) *flag.FlagSet {
	name := "cook"
	if v.Name != "" {
		name += " " + v.Name
	}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	if h.Flags != nil {
		h.Flags(fs)
	}
	return fs
}
