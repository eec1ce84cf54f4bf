// Package cmdline is the framework for all verbs of cook. It parses a command line, adds
// settings from the environment and the project, and prints errors.
//
// Each verb is declared in one file, in this order: its [Verb], its options, the flags, the
// function that runs it.
package cmdline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Verb is the first word of a command line. Help, completion and the manual page are
// generated from its fields.
type Verb struct {
	Name     string // "" for a command line without a verb
	Synopsis string // follows "cook "
	Summary  string
	Text     string // text that begins with the usage line
	Takes    Argument

	// New returns the flags for one command line, and the function to call with its words.
	New func() Handler

	// Run, if not nil, replaces the parsing of New's flags.
	Run func(context.Context, *Call) (status int)

	// Help, if not nil, prints the answer to -h. Otherwise Text and the flags are printed.
	Help func(*Call, io.Writer)
}

// A Handler handles one command line of a verb.
type Handler struct {
	Flags func(*flag.FlagSet) // declares the flags; may be nil
	Run   func(ctx context.Context, c *Call, words []string) (status int)
}

// HandlerOf returns a New function for a verb whose options have the type T.
func HandlerOf[T any](flags func(*T, *flag.FlagSet), run func(*T, context.Context, *Call, []string) int) func() Handler {
	return func() Handler {
		options := new(T)
		return Handler{
			Flags: func(fs *flag.FlagSet) { flags(options, fs) },
			Run:   func(ctx context.Context, c *Call, words []string) int { return run(options, ctx, c, words) },
		}
	}
}

// An Argument describes the completions of a word or of a flag's value.
type Argument struct {
	Words          func() []string // nil for none
	Files, Folders bool

	// Patterns is set if words are source patterns, so that paths are converted to patterns.
	Patterns bool
	// Target is set if the last word names a directory to write to, and never the asset
	// directory.
	Target bool
}

// trailing returns the number of trailing words that never name the asset directory.
func (a Argument) trailing() int {
	if a.Target {
		return 1
	}
	return 0
}

// List returns the words that an argument can be.
func (a Argument) List() []string {
	if a.Words == nil {
		return nil
	}
	return a.Words()
}

// CookFunc is the type of [cook.Cook].
type CookFunc func(context.Context, cook.Project, cook.CookOptions) (cook.Summary, error)

// A Call is one command line, with everything that verbs need from the program.
type Call struct {
	Verbs   []Verb // verbs of the program; the first one has no name
	Recipes []recipe.Recipe
	Cook    CookFunc // tests replace it
	AtWork  func()   // called by verbs before they work on assets
	Args    []string // words and flags after the verb

	Stdout, Stderr io.Writer
}

// Names lists the verbs.
func (c *Call) Names() (names []string) {
	for i := range c.Verbs[1:] {
		names = append(names, c.Verbs[1+i].Name)
	}
	return names
}

// Find returns the verb with the given name, or nil.
func (c *Call) Find(name string) *Verb {
	if i := slices.IndexFunc(c.Verbs, func(v Verb) bool { return v.Name == name }); i >= 0 {
		return &c.Verbs[i]
	}
	return nil
}

// Dispatch runs the verb that the first argument names, or else the verb without a name.
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
	words, status, ok := c.parseArguments(v, h.flagSet(v))
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

// parseArguments parses the arguments. The environment sets flags that are not on the command
// line, and the project sets flags that neither the command line nor the environment sets. If
// ok is false, the verb has nothing left to do.
func (c *Call) parseArguments(v *Verb, fs *flag.FlagSet) (words []string, status int, ok bool) {
	words, err := frontend.Parse(fs, presentNames(fs, c.Args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.printVerbHelp(v, fs)
		return nil, frontend.OK, false
	case err != nil:
		return nil, c.Wrong("%v; see cook help", err), false
	}
	dir := fs.Lookup("dir")
	dirGiven := dir != nil && dir.Value.String() != ""
	if err := c.fromEnvironment(fs, os.Environ()); err != nil {
		return nil, c.Wrong("%v", err), false
	}
	words, err = inProject(v, fs, words, dirGiven)
	if err != nil {
		c.PrintError(err)
		return nil, frontend.Usage, false
	}
	return words, frontend.OK, true
}

// renamed maps former flag names to the current names.
var renamed = map[string]string{"verify": "check-contents"}

// presentNames replaces former flag names.
func presentNames(fs *flag.FlagSet, args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		dashes := arg[:len(arg)-len(strings.TrimLeft(arg, "-"))]
		name, _, _ := strings.Cut(arg[len(dashes):], "=")
		if now := renamed[name]; (dashes == "-" || dashes == "--") && now != "" && fs.Lookup(now) != nil {
			args[i] = dashes + now + strings.TrimPrefix(arg[len(dashes):], name)
		}
	}
	return args
}

// printVerbHelp prints the help of a verb.
func (c *Call) printVerbHelp(v *Verb, fs *flag.FlagSet) {
	if v.Help != nil {
		v.Help(c, c.Stdout)
		return
	}
	fmt.Fprintf(c.Stdout, "%s\nFlags:\n", v.Text)
	fs.SetOutput(c.Stdout)
	fs.PrintDefaults()
	fmt.Fprint(c.Stdout, ExitText)
}

// RecordErrors also writes errors as records to standard output if the command line has -json.
func (c *Call) RecordErrors(stdout *frontend.Checked) {
	if c.wantsJSON(os.Getenv) {
		c.Stderr = &recorder{c.Stderr, stdout}
	}
}

// wantsJSON reports whether a command line, which may be invalid, has -json, or a verb that
// takes -json from the environment.
func (c *Call) wantsJSON(env func(string) string) (want bool) {
	given := false
	for _, arg := range c.Args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "-json" && name != "--json" {
			continue
		}
		on, err := strconv.ParseBool(value)
		given, want = true, !hasValue || on || err != nil
	}
	value := env(variableOf("json"))
	if given || value == "" {
		return want
	}
	v := &c.Verbs[0]
	if len(c.Args) > 0 && c.Find(c.Args[0]) != nil {
		v = c.Find(c.Args[0])
	}
	on, err := strconv.ParseBool(value)
	return v.Flags().Lookup("json") != nil && (on || err != nil)
}

// EnvPrefix is the prefix of environment variables that set flags: COOK_CACHE_SIZE sets
// -cache-size.
const EnvPrefix = "COOK_"

// variableOf returns the name of the variable that sets a flag.
func variableOf(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets flags that are not on the command line from non-empty environment
// variables. It warns of variables whose names resemble a flag's variable.
func (c *Call) fromEnvironment(fs *flag.FlagSet, environ []string) error {
	values := map[string]string{}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, EnvPrefix) && value != "" {
			values[name] = value
		}
	}
	if len(values) == 0 {
		return nil
	}
	given, known := map[string]bool{}, []string{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var wrong error
	fs.VisitAll(func(f *flag.Flag) {
		name := variableOf(f.Name)
		known = append(known, name)
		value, ok := values[name]
		delete(values, name)
		to, suggests := f.Value.(suggestible)
		if !ok || given[f.Name] && !suggests || wrong != nil {
			return
		}
		set := func(value string) error { return fs.Set(f.Name, value) }
		if suggests {
			set = to.suggest
		}
		if err := set(value); err != nil {
			wrong = fmt.Errorf("%s=%s: %w", name, pathname.Show(value), err)
		}
	})
	if wrong != nil || len(values) == 0 || len(known) == 0 {
		return wrong
	}
	for i := range c.Verbs { // variables may set flags of other verbs
		c.Verbs[i].Flags().VisitAll(func(f *flag.Flag) { delete(values, variableOf(f.Name)) })
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if meant := nearest.Word(name, known); meant != "" {
			c.Warn(fmt.Sprintf("cook has no environment variable %s; did you mean %s?", pathname.Show(name), meant))
		}
	}
	return nil
}
