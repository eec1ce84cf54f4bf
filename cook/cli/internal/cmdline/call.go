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

// A Verb is a subcommand of cook. Help, completion and the manual page are generated from its
// fields.
type Verb struct {
	Name     string // first word of the command line; "" for the command line without a verb
	Synopsis string // synopsis without the leading "cook "
	Summary  string
	Text     string // help text; begins with the usage line
	Takes    Argument

	// New returns a handler for one command line.
	New func() Handler

	// Run, if not nil, is called instead of parsing the command line with New's flags.
	Run func(context.Context, *Call) (status int)

	// Help, if not nil, prints the answer to -h. Otherwise Text and the flags are printed.
	Help func(*Call, io.Writer)
}

// A Handler handles one command line of a verb.
type Handler struct {
	Flags func(*flag.FlagSet) // declares the flags of the verb; may be nil
	Run   func(ctx context.Context, c *Call, words []string) (status int)
}

// HandlerOf returns a New function for a verb. The struct type T holds the verb's options.
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
	Words          func() []string // returns the words to complete; may be nil
	Files, Folders bool

	// Patterns is set if words are source patterns. Paths are then converted to patterns.
	Patterns bool
	// Target is set if the last word names the directory to write to.
	Target bool
}

// trailing returns the number of trailing words that cannot name the asset directory.
func (a Argument) trailing() int {
	if a.Target {
		return 1
	}
	return 0
}

// List returns the words that complete the argument.
func (a Argument) List() []string {
	if a.Words == nil {
		return nil
	}
	return a.Words()
}

// CookFunc is the type of [cook.Cook].
type CookFunc func(context.Context, cook.Project, cook.CookOptions) (cook.Summary, error)

// A Call is one command line with the program's verbs and recipes.
type Call struct {
	Verbs   []Verb // the verb at index 0 has no name
	Recipes []recipe.Recipe
	Cook    CookFunc // cook.Cook, except in tests
	AtWork  func()   // verbs call AtWork before they work on assets
	Args    []string

	Stdout, Stderr io.Writer
}

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

// Dispatch runs the verb that the first argument names, or the verb without a name.
func (c *Call) Dispatch(ctx context.Context) (status int) {
	v := &c.Verbs[0]
	if len(c.Args) > 0 && c.Args[0] != "" {
		if named := c.Find(c.Args[0]); named != nil {
			v, c.Args = named, c.Args[1:]
		}
	}
	return c.Invoke(ctx, v)
}

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

// parseArguments parses the arguments. Environment variables set flags that are not on the command
// line. The project sets the remaining flags. ok is false if the verb has nothing left to do, such
// as after -h.
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

// renamed maps former flag names to current names.
var renamed = map[string]string{"verify": "check-contents"}

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

// RecordErrors also writes errors as JSON records to standard output if the command line has -json.
func (c *Call) RecordErrors(stdout *frontend.Checked) {
	if c.wantsJSON(os.Getenv) {
		c.Stderr = &recorder{c.Stderr, stdout}
	}
}

// wantsJSON reports whether a command line has -json, even if it is otherwise invalid. For verbs
// with -json, an environment variable has the same effect.
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

// EnvPrefix is the prefix of environment variables that set flags. For example, COOK_CACHE_SIZE
// sets -cache-size.
const EnvPrefix = "COOK_"

// variableOf returns the name of the environment variable that sets a flag.
func variableOf(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets flags that are not on the command line from non-empty environment variables.
// It warns of variables with a misspelled flag name.
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
	for i := range c.Verbs {
		c.Verbs[i].Flags().VisitAll(func(f *flag.Flag) { delete(values, variableOf(f.Name)) })
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if meant := nearest.Word(name, known); meant != "" {
			c.Warn(fmt.Sprintf("cook has no environment variable %s; did you mean %s?", pathname.Show(name), meant))
		}
	}
	return nil
}
