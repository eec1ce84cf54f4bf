package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/nearest"
)

const introText = `cook turns a folder of source assets into a folder of shippable ones and does
only the work that is needed.
`

const patternText = `
The asset folder may stand first instead: cook assets is cook -dir assets.

Patterns are those of cook.toml, for paths in the asset folder: *.png in any folder,
'/*.png' in the asset folder itself, ui (or ui/) for all below the folder ui, ui/**/*.png,
*.{png,tga}. '!*_old.png' excludes from what the patterns before it chose.
`

const exitText = `
A variable of the environment stands for each flag that is not given: COOK_OUT for -out,
COOK_CACHE_SIZE for -cache-size.

Exit status: 0 success, 1 an asset failed, 2 wrong usage or configuration,
3 verify found a difference or smoke a regression, 4 another cook works on the
same output folder, 130 interrupted.
`

// synopsis and summary are those of a command line without a verb.
const (
	synopsis = "-dir assets [flags] [pattern ...]"
	summary  = "bring all assets, or those that match, up to date"
)

// fullHelp prints all verbs, flags and recipes.
func fullHelp(w io.Writer, c command) {
	fmt.Fprintf(w, "%s\n\tcook %-35s %s\n", introText, synopsis, summary)
	for _, v := range c.verbs() {
		fmt.Fprintf(w, "\tcook %-35s %s\n", v.synopsis, v.summary)
	}
	fmt.Fprintf(w, "%s\nFlags:\n", patternText)
	fs := new(cookRun).flags()
	fs.SetOutput(w)
	fs.PrintDefaults()
	if set, err := recipe.NewSet(c.recipes...); err == nil {
		listRecipes(w, set)
	}
	fmt.Fprint(w, exitText)
}

// commonVerbs and commonFlags are what most users need.
var (
	commonVerbs = []string{"init", "why", "verify", "list", "report", "view", "clean", "trim"}
	commonFlags = []string{"dir", "out", "target", "watch", "http", "n", "a", "j", "explain", "v", "q", "strict"}
)

// shortHelp prints what most users need, on one screen.
func shortHelp(w io.Writer, c command) {
	line := func(left, right string) { fmt.Fprintf(w, "  %-26s %s\n", left, shortened(right)) }
	fmt.Fprintf(w, "%s\nCommands:\n", introText)
	line("cook -dir assets", summary)
	for _, name := range commonVerbs {
		v, _ := c.findVerb(name)
		call, _, _ := strings.Cut(strings.Replace(v.synopsis, " [flags]", "", 1), " [")
		line("cook "+call, v.summary)
	}
	fmt.Fprint(w, "\nFlags of cook -dir assets:\n")
	fs := new(cookRun).flags()
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

// shortened returns the first part of a usage text, which fits into its line: the full help
// has the details.
func shortened(usage string) string {
	if i := strings.IndexAny(usage, ";("); i >= 0 {
		usage = strings.TrimSpace(usage[:i])
	}
	if i := strings.LastIndex(usage, ", "); i >= 0 && len(usage) > 51 {
		usage = usage[:i]
	}
	return usage
}

// listRecipes prints the recipes and what each cooks where no rule names another one.
func listRecipes(w io.Writer, set *recipe.Set) {
	fmt.Fprint(w, "\nRecipes, and the files that they cook by default:\n")
	for _, name := range set.Names() {
		fmt.Fprint(w, strings.TrimRight(fmt.Sprintf("  %-12s %s", name, filesOf(set, name)), " ")+"\n")
	}
}

// filesOf lists what a recipe cooks where no rule names another one.
func filesOf(set *recipe.Set, name string) string {
	if name == recipe.Fallback {
		return "all other files"
	}
	r, _ := set.Lookup(name)
	return strings.Join(r.Extensions, " ")
}

const helpText = `usage: cook help [flags] [VERB|RECIPE|TOPIC|FLAG|OPTION]

Prints the most used verbs and flags, or help on one word: a topic (rules, targets,
patterns, ignore), a verb, a recipe, a flag, or an option of recipes.

Example:
	cook help -all
	cook help image
	cook help -mem
	cook help -man > ~/.local/share/man/man1/cook.1
`

func helpFlags(man, all *bool) *flag.FlagSet {
	fs := newFlags("help", helpText)
	fs.BoolVar(man, "man", false, "print a manual page of cook and its verbs, for man")
	fs.BoolVar(all, "all", false, "print all verbs, flags and recipes")
	return fs
}

// subjects are the topics, the verbs, and the recipes if they are valid.
func (c command) subjects() []string {
	names := append(topicNames(), c.names()...)
	if set, err := recipe.NewSet(c.recipes...); err == nil {
		names = append(names, set.Names()...)
	}
	return names
}

func (c command) runHelp(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var man, all bool
	fs := helpFlags(&man, &all)
	if len(args) == 1 && fs.Lookup(strings.TrimLeft(args[0], "-")) == nil && helpOnFlag(stdout, c, args[0]) {
		return exitOK
	}
	words, code, ok := parse(fs, args, stdout, stderr)
	if !ok {
		return code
	}
	if (man || all) && len(words) > 0 || man && all {
		wrong(stderr, "-man and -all print everything; leave out the other words")
		return exitUsage
	}
	switch {
	case man:
		c.man(stdout)
	case all:
		fullHelp(stdout, c)
	case len(words) == 0:
		shortHelp(stdout, c)
	case len(words) > 1:
		wrong(stderr, "want one word to explain, have %q", words)
		return exitUsage
	default:
		return c.helpOn(ctx, atWork, words[0], stdout, stderr)
	}
	return exitOK
}

// helpOn explains a topic, verb, recipe, flag or option.
func (c command) helpOn(ctx context.Context, atWork func(), word string, stdout, stderr io.Writer) int {
	if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == word }); i >= 0 {
		topics[i].print(c, stdout)
		return exitOK
	}
	if v, ok := c.findVerb(word); ok {
		return v.run(ctx, atWork, []string{"-h"}, stdout, stderr)
	}
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return fail(ctx, stderr, &cook.ConfigError{Err: err})
	}
	if r, ok := set.Lookup(word); ok {
		describe(stdout, r)
		return exitOK
	}
	if helpOnFlag(stdout, c, "-"+word) || helpOnOption(stdout, set, word) {
		return exitOK
	}
	if name := nearest.Word(word, append(c.subjects(), optionNames(set)...)); name != "" {
		wrong(stderr, "nothing is called %q; did you mean cook help %s?", word, name)
	} else {
		wrong(stderr, "nothing is called %q; cook help -all lists verbs, flags and recipes", word)
	}
	return exitUsage
}

// describe prints what a recipe cooks by default, its outputs and options.
func describe(w io.Writer, r recipe.Recipe) {
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
	for _, o := range recipe.Options(c) {
		fmt.Fprintln(w)
		describeOption(w, c, o)
	}
}

func describeOption(w io.Writer, c recipe.Cooker, o recipe.Option) {
	fmt.Fprintf(w, "  %s: %s; default %s\n      %s\n", o.Key, o.Want, o.Value(c), o.Doc)
}
