package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

const helpText = `usage: cook help [flags] [VERB|RECIPE|TOPIC|FLAG|OPTION]

Prints the most used verbs and flags, or help on one word: a topic (rules, targets,
patterns, ignore), a verb, a recipe, a flag, or an option of recipes.

Example:
	cook help -all
	cook help image
	cook help -mem
	cook help -man > ~/.local/share/man/man1/cook.1
`

var helpVerb = cmdline.Verb{
	Name: "help", Synopsis: "help [-all] [WORD]", Summary: "explain a verb, recipe, topic, flag or option", Text: helpText,
	New: func() cmdline.Handler { return new(helpOptions).handler() },
	Run: runHelp,
}

type helpOptions struct{ man, all bool }

func (r *helpOptions) handler() cmdline.Handler {
	return cmdline.Handler{Flags: r.helpFlags, Run: r.printHelp}
}

func (r *helpOptions) helpFlags(fs *flag.FlagSet) {
	fs.BoolVar(&r.man, "man", false, "print a manual page of cook and its verbs, for man")
	fs.BoolVar(&r.all, "all", false, "print all verbs, flags and recipes")
}

// runHelp explains a flag that cook help does not accept itself. It runs before the command line is
// parsed.
func runHelp(ctx context.Context, c *cmdline.Call) int {
	v := c.Find("help")
	if len(c.Args) == 1 && v.Flags().Lookup(strings.TrimLeft(c.Args[0], "-")) == nil && helpOnFlag(c, c.Args[0]) {
		return frontend.OK
	}
	return c.Do(ctx, v, new(helpOptions).handler())
}

func (r *helpOptions) printHelp(ctx context.Context, c *cmdline.Call, words []string) int {
	switch {
	case (r.man || r.all) && len(words) > 0 || r.man && r.all:
		return c.Wrong("-man and -all print everything; leave out the other words")
	case r.man:
		writeMan(c.Stdout, c)
	case r.all:
		fullHelp(c.Stdout, c)
	case len(words) == 0:
		shortHelp(c, c.Stdout)
	case len(words) > 1:
		return c.Wrong("want one word to explain, have %q", words)
	default:
		return helpOn(ctx, c, words[0])
	}
	return frontend.OK
}

func fullHelp(w io.Writer, c *cmdline.Call) {
	fmt.Fprintf(w, "%s\n", introText)
	for i := range c.Verbs {
		fmt.Fprintf(w, "\tcook %-35s %s\n", c.Verbs[i].Synopsis, c.Verbs[i].Summary)
	}
	fmt.Fprintf(w, "%s\nFlags:\n", patternText)
	fs := c.Verbs[0].Flags()
	fs.SetOutput(w)
	fs.PrintDefaults()
	if set, err := recipeset.New(c.Recipes...); err == nil {
		listRecipes(w, set)
	}
	fmt.Fprint(w, cmdline.ExitText)
}

// commonVerbs and commonFlags are the verbs and flags in the short help.
var (
	commonVerbs = []string{"init", "why", "verify", "list", "report", "view", "serve", "clean", "trim"}
	commonFlags = []string{"dir", "out", "target", "watch", "http", "n", "a", "j", "explain", "v", "q", "strict"}
)

// shortHelp prints the most used verbs and flags, on one screen.
func shortHelp(c *cmdline.Call, w io.Writer) {
	line := func(left, right string) { fmt.Fprintf(w, "  %-26s %s\n", left, shortenedHelp(right)) }
	fmt.Fprintf(w, "%s\nCommands:\n", introText)
	line("cook -dir assets", c.Verbs[0].Summary)
	for _, name := range commonVerbs {
		v := c.Find(name)
		call, _, _ := strings.Cut(strings.Replace(v.Synopsis, " [flags]", "", 1), " [")
		line("cook "+call, v.Summary)
	}
	fmt.Fprint(w, "\nFlags of cook -dir assets:\n")
	fs := c.Verbs[0].Flags()
	for _, name := range commonFlags {
		value, usage := flag.UnquoteUsage(fs.Lookup(name))
		line(strings.TrimSpace("-"+name+" "+value), usage)
	}
	fmt.Fprint(w, "\nMore help:\n")
	line("cook help -all", "all verbs, flags and recipes")
	line("cook help verify", "a verb")
	line("cook help image", "a recipe and its options")
	line("cook help -mem", "a flag; an option such as quality too")
	line("cook help "+topics[0].name, "a topic: "+strings.Join(topicNames(), ", "))
}

// shortenedHelp cuts a usage text to fit one line of the short help.
func shortenedHelp(usage string) string {
	if i := strings.IndexAny(usage, ";("); i >= 0 {
		usage = strings.TrimSpace(usage[:i])
	}
	if i := strings.LastIndex(usage, ", "); i >= 0 && len(usage) > 51 {
		usage = usage[:i]
	}
	return usage
}

// helpOn explains a topic, verb, recipe, flag or option.
func helpOn(ctx context.Context, c *cmdline.Call, word string) int {
	if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == word }); i >= 0 {
		topics[i].print(c)
		return frontend.OK
	}
	if v := c.Find(word); v != nil {
		c.Args = []string{"-h"}
		return c.Invoke(ctx, v)
	}
	set, err := recipeset.New(c.Recipes...)
	if err != nil {
		return c.Fail(ctx, &cook.ConfigError{Err: err})
	}
	if r, ok := set.Lookup(word); ok {
		printRecipeHelp(c.Stdout, r)
		return frontend.OK
	}
	if e, ok := engine.Lookup(word); ok {
		describeEngine(c.Stdout, e)
		return frontend.OK
	}
	if helpOnFlag(c, "-"+word) || helpOnOption(c.Stdout, set, word) {
		return frontend.OK
	}
	if name := nearest.Word(word, append(subjects(c), optionNames(set)...)); name != "" {
		return c.Wrong("no help for %q; did you mean cook help %s?", word, name)
	}
	return c.Wrong("no help for %q; cook help -all lists verbs, flags and recipes", word)
}

// subjects returns the topics, the verbs and, if they are valid, the recipes.
func subjects(c *cmdline.Call) []string {
	names := slices.Concat(topicNames(), c.Names(), engine.Names())
	if set, err := recipeset.New(c.Recipes...); err == nil {
		names = append(names, set.Names()...)
	}
	return names
}

const introText = `cook turns a directory of source assets into a directory of shippable ones and
does only the work that is needed.
`

const patternText = `
The asset directory may come first instead: cook assets is the same as cook -dir assets.

Patterns are written as in cook.toml, for paths in the asset directory: *.png in any directory,
'/*.png' in the asset directory itself, ui (or ui/) for all files below the directory ui, ui/**/*.png,
*.{png,tga}. '!*_old.png' excludes files that earlier patterns chose.
`

// A topic is a help subject that is not a verb, recipe, flag or option.
type topic struct {
	name  string
	print func(*cmdline.Call)
}

var topics = []topic{
	{"rules", func(c *cmdline.Call) {
		fmt.Fprint(c.Stdout, rulesText)
		if set, err := recipeset.New(c.Recipes...); err == nil {
			listRecipes(c.Stdout, set)
		}
	}},
	{"targets", func(c *cmdline.Call) { fmt.Fprint(c.Stdout, targetsText) }},
	{"patterns", func(c *cmdline.Call) { fmt.Fprint(c.Stdout, strings.TrimPrefix(patternText, "\n")) }},
	{"engines", func(c *cmdline.Call) { listEngines(c.Stdout) }},
	{"ignore", func(c *cmdline.Call) { fmt.Fprint(c.Stdout, ignoreText, scan.Defaults) }},
}

func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

const rulesText = `Rules say which recipe cooks a source, and with which options. The cook.toml in the asset
directory has rules for all assets; the cook.toml of a subdirectory has rules for the files below
it. cook init writes a first file.

	[[rule]]
	match = ["ui/**/*.png", "!ui/photos/**"]
	mips  = false

	[[rule]]
	match   = "shaders/*.frag"
	command = ["glslangValidator", "-V", "{in}", "-o", "{out}"]
	outputs = ["{stem}.spv"]

The last rule that matches wins, key by key; the file of a subdirectory overrides the files
above it. A rule without a recipe sets its options for every recipe that has them.

cook help RECIPE prints the options of a recipe, cook why PATH the rules that apply to one
asset, and cook schema a JSON Schema with which editors complete the file.
`

const targetsText = `A target is a named variant of the options, such as one for each platform. Its outputs are in
a directory of their own: cook -dir assets -target mobile writes cooked/mobile.

	[target.mobile.image]
	zstd = 19

	[[rule]]
	match   = "music/**"
	target  = "mobile"
	format  = "opus"
	bitrate = 48

A table sets options of one recipe; a rule with target sets options of matching files.
Without -target, cook makes the unnamed target; -target all makes all declared targets.
`

const ignoreText = `Files and directories that match these patterns, in upper or lower case, are not cooked. A line
of a .cookignore that begins with "!" includes them again, such as !*.psd or !Makefile.
Files that a recipe cooks by default are never left out.

`

const enginesText = `An engine is the program that loads the outputs. Name it in cook.toml, and all
outputs have formats that the engine loads:

	[project]
	engine = "three"

	[target.desktop]
	engine = "love"

The engine of a target replaces the engine of the project. Every rule of the project is
stronger than the rules of an engine, and a run warns of files that the engine does not load.
Without a name, the engine is "any": outputs have formats that most engines load. With "own",
every option has the default of its recipe, for a program that loads KTX2 and more. The flag
-engine chooses the engine of one run.

An engine may give an output another name: mud.png becomes mud.webp. cook does not change
names in your levels, scripts and other files. Either let the game look up the output of a source
in manifest.json, or keep the names: engine = "any" keeps the names of .png and .jpg files, and
a rule with format = "png" or recipe = "copy" keeps the names of the files that it matches.

`

func listEngines(w io.Writer) {
	fmt.Fprint(w, enginesText)
	for _, e := range engine.All() {
		title := strings.TrimSpace(e.Title + " " + e.Version)
		fmt.Fprintf(w, "  %-11s %s\n", e.Name, title)
	}
	fmt.Fprint(w, "\ncook help three prints the rules of an engine.\n")
}

// describeEngine prints an engine's rules, and the sources of the facts about the engine.
func describeEngine(w io.Writer, e engine.Engine) {
	switch {
	case e.Name == engine.Any:
		fmt.Fprintf(w, "engine %s: formats that most engines load; the default\n", e.Name)
	case e.Name == engine.None:
		fmt.Fprintf(w, "engine %s: for a program that loads every kind of file; it has no rules\n", e.Name)
		return
	case e.Source != "":
		fmt.Fprintf(w, "engine %s: %s %s, by its documentation (%s)\n", e.Name, e.Title, e.Version, e.Source)
	default:
		fmt.Fprintf(w, "engine %s: %s %s, tested with it\n", e.Name, e.Title, e.Version)
	}
	fmt.Fprintf(w, "  loads these of the file types that options choose: %s\n\n%s", strings.Join(e.Loads, " "), e.Rules())
}

// listRecipes prints the recipes and their default extensions.
func listRecipes(w io.Writer, set *recipeset.Set) {
	fmt.Fprint(w, "\nRecipes, and the files that they cook by default:\n")
	for _, name := range set.Names() {
		fmt.Fprint(w, strings.TrimRight(fmt.Sprintf("  %-12s %s", name, extensionsText(set, name)), " ")+"\n")
	}
}

// extensionsText returns the extensions that a recipe cooks by default.
func extensionsText(set *recipeset.Set, name string) string {
	if name == recipeset.Fallback {
		return "all other files"
	}
	r, _ := set.Lookup(name)
	return strings.Join(r.Extensions, " ")
}

// printRecipeHelp prints the sources, outputs and options of a recipe.
func printRecipeHelp(w io.Writer, r recipe.Recipe) {
	c := r.New()
	fmt.Fprintf(w, "recipe %s, version %d\n", r.Name, r.Version)
	if len(r.Extensions) > 0 {
		fmt.Fprintf(w, "  cooks by default: %s\n", strings.Join(r.Extensions, " "))
	}
	for i, h := range r.Hints {
		switch {
		case i == 0 || h.Key != r.Hints[i-1].Key:
			fmt.Fprintf(w, "  %s by the path: %v", h.Key, h.Value)
		default:
			fmt.Fprintf(w, ", %v", h.Value)
		}
		if i+1 == len(r.Hints) || h.Key != r.Hints[i+1].Key {
			fmt.Fprintln(w)
		}
	}
	for _, out := range c.Outputs() {
		fmt.Fprintf(w, "  output: %s\n", out)
	}
	for _, o := range recipeset.Options(c) {
		fmt.Fprintln(w)
		describeOption(w, c, o)
	}
}

func describeOption(w io.Writer, c recipe.Cooker, o recipeset.Option) {
	fmt.Fprintf(w, "  %s: %s; default %s\n      %s\n", o.Key, o.Want, o.Value(c), o.Doc)
}

// helpOnFlag prints the descriptions of a flag, and the verbs with each description.
func helpOnFlag(c *cmdline.Call, word string) bool {
	name := strings.TrimLeft(word, "-")
	if name == "" || name == word {
		return false
	}
	var same []*flag.FlagSet
	verbs := map[*flag.FlagSet][]string{}
	add := func(verb string, flags *flag.FlagSet) {
		f := flags.Lookup(name)
		if f == nil {
			return
		}
		i := slices.IndexFunc(same, func(fs *flag.FlagSet) bool { return fs.Lookup(name).Usage == f.Usage })
		if i < 0 {
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			fs.SetOutput(c.Stdout)
			fs.Var(f.Value, f.Name, f.Usage)
			i, same = len(same), append(same, fs)
		}
		verbs[same[i]] = append(verbs[same[i]], verb)
	}
	for i := range c.Verbs {
		v := &c.Verbs[i]
		add(strings.TrimSpace("cook "+v.Name), v.Flags())
	}
	for _, fs := range same {
		fmt.Fprintf(c.Stdout, "%s:\n", strings.Join(verbs[fs], ", "))
		fs.PrintDefaults()
	}
	return len(same) > 0
}

// helpOnOption prints an option's description for each recipe that has the option.
func helpOnOption(w io.Writer, set *recipeset.Set, key string) (found bool) {
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		c := r.New()
		for _, o := range recipeset.Options(c) {
			if o.Key == key {
				fmt.Fprintf(w, "recipe %s:\n", name)
				describeOption(w, c, o)
				found = true
			}
		}
	}
	return found
}

// optionNames returns the keys of the options of all recipes.
func optionNames(set *recipeset.Set) (keys []string) {
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, o := range recipeset.Options(r.New()) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}
