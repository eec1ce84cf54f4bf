package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
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

const ignoreText = `Files and folders that match these patterns are not cooked, whatever their case. A line
of a .cookignore that begins with "!" takes them back in, such as !*.psd or !Makefile.
What a recipe cooks by default is never left out.

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

func (c command) usage(w io.Writer) {
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

const helpText = `usage: cook help [flags] [VERB|RECIPE|ignore]

Prints what cook does and its flags, or those of a verb, or what a recipe cooks, writes
and takes, or the list of what is left out of every asset folder.

Example:
	cook help verify
	cook help image
	cook help -man > ~/.local/share/man/man1/cook.1
`

func helpFlags(man *bool) *flag.FlagSet {
	fs := newFlags("help", helpText)
	fs.BoolVar(man, "man", false, "print a manual page of cook and its verbs, for man")
	return fs
}

// subjects are what there is help on: verbs, and recipes if they are valid.
func (c command) subjects() []string {
	names := append(c.names(), "ignore")
	if set, err := recipe.NewSet(c.recipes...); err == nil {
		names = append(names, set.Names()...)
	}
	return names
}

func (c command) runHelp(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var man bool
	words, code, ok := parse(helpFlags(&man), args, stdout, stderr)
	if !ok {
		return code
	}
	if man && len(words) > 0 {
		fmt.Fprintf(stderr, "cook: the manual page is about all; leave out %q\n", words)
		return exitUsage
	}
	if man {
		c.man(stdout)
		return exitOK
	}
	if len(words) == 0 {
		c.usage(stdout)
		return exitOK
	}
	if len(words) > 1 {
		wrong(stderr, "want one verb or recipe, have %q", words)
		return exitUsage
	}
	if words[0] == "ignore" {
		fmt.Fprint(stdout, ignoreText, cook.DefaultIgnore)
		return exitOK
	}
	if v, ok := c.find(words[0]); ok {
		return v.run(ctx, atWork, []string{"-h"}, stdout, stderr)
	}
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return fail(ctx, stderr, &cook.ConfigError{Err: err})
	}
	r, ok := set.Lookup(words[0])
	if name := nearest.Word(words[0], c.subjects()); !ok && name != "" {
		wrong(stderr, "no verb or recipe %q; did you mean cook help %s?", words[0], name)
		return exitUsage
	}
	if !ok {
		wrong(stderr, "no recipe %q; have %s", words[0], strings.Join(set.Names(), ", "))
		return exitUsage
	}
	describe(stdout, r)
	return exitOK
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
		fmt.Fprintf(w, "\n  %s: %s; default %s\n      %s\n", o.Key, o.Want, o.Value(c), o.Doc)
	}
}
