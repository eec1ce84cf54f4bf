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

// helpOptions are the options of a command line of cook help.
type helpOptions struct{ man, all bool }

func (r *helpOptions) handler() cmdline.Handler {
	return cmdline.Handler{Flags: r.helpFlags, Run: r.printHelp}
}

func (r *helpOptions) helpFlags(fs *flag.FlagSet) {
	fs.BoolVar(&r.man, "man", false, "print a manual page of cook and its verbs, for man")
	fs.BoolVar(&r.all, "all", false, "print all verbs, flags and recipes")
}

// runHelp explains a flag that is not one of cook help, before the command line is parsed.
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

// fullHelp prints all verbs, flags and recipes.
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

// commonVerbs and commonFlags are in the short help.
var (
	commonVerbs = []string{"init", "why", "verify", "list", "report", "view", "clean", "trim"}
	commonFlags = []string{"dir", "out", "target", "watch", "http", "n", "a", "j", "explain", "v", "q", "strict"}
)

// shortHelp prints the most used verbs and flags, on one screen.
func shortHelp(c *cmdline.Call, w io.Writer) {
	line := func(left, right string) { fmt.Fprintf(w, "  %-26s %s\n", left, shortened(right)) }
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

// shortened returns the first part of a usage text, which fits into its line. The full help has the
// details.
func shortened(usage string) string {
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
		describe(c.Stdout, r)
		return frontend.OK
	}
	if helpOnFlag(c, "-"+word) || helpOnOption(c.Stdout, set, word) {
		return frontend.OK
	}
	if name := nearest.Word(word, append(subjects(c), optionNames(set)...)); name != "" {
		return c.Wrong("nothing is called %q; did you mean cook help %s?", word, name)
	}
	return c.Wrong("nothing is called %q; cook help -all lists verbs, flags and recipes", word)
}

// subjects lists the topics, the verbs, and the recipes if they are valid.
func subjects(c *cmdline.Call) []string {
	names := append(topicNames(), c.Names()...)
	if set, err := recipeset.New(c.Recipes...); err == nil {
		names = append(names, set.Names()...)
	}
	return names
}
