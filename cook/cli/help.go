package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

const usageText = `cook turns a folder of source assets into a folder of shippable ones and does
only the work that is needed.

	cook -dir assets [flags] [pattern ...]   bring all assets, or those that match, up to date
	cook why -dir assets [flags] PATH        explain what happens to one asset
	cook verify -dir assets [flags]          prove that the outputs are correct
	cook trim [flags]                        shrink the store to its size limit
	cook clean -dir assets [flags]           remove what cook made
	cook report -dir assets [flags]          write a page about the last cook and all runs
	cook history -dir assets [flags]         print the last runs, or compare two
	cook smoke [flags] FILE                  measure repeated runs and find regressions
	cook events stat|convert FILE ...        sum up or convert a recording of -trace
	cook view FILE ... | HOST:PORT           show recordings, or a run with -feed, as pages
	cook id RUN ...                          decode IDs of runs
	cook schema                              print a JSON Schema of cook.toml, for editors
	cook version                             print the version of this program
	cook help [VERB|RECIPE|ignore]           print this text, that of a verb or recipe, or
	                                         what is left out of every asset folder

The asset folder may stand first instead: cook assets is cook -dir assets.

Patterns are those of cook.toml, for paths in the asset folder: *.png in any folder,
'/*.png' in the asset folder itself, ui (or ui/) for all below the folder ui, ui/**/*.png,
*.{png,tga}. '!*_old.png' excludes from what the patterns before it chose.

Flags:
`

const ignoreText = `Files and folders that match these patterns are not cooked, whatever their case. A line
of a .cookignore that begins with "!" takes them back in, such as !*.psd or !Makefile.
What a recipe cooks by default is never left out.

`

const exitText = `
Exit status: 0 success, 1 an asset failed, 2 wrong usage or configuration,
3 verify found a difference or smoke a regression, 4 another cook works on the
same output folder, 130 interrupted.
`

func usage(w io.Writer, recipes []recipe.Recipe) {
	fmt.Fprint(w, usageText)
	fs := new(cookRun).flags()
	fs.SetOutput(w)
	fs.PrintDefaults()
	if set, err := recipe.NewSet(recipes...); err == nil {
		listRecipes(w, set)
	}
	fmt.Fprint(w, exitText)
}

// listRecipes prints the recipes and what each cooks where no rule names another one.
func listRecipes(w io.Writer, set *recipe.Set) {
	fmt.Fprint(w, "\nRecipes, and the files that they cook by default:\n")
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		files := strings.Join(r.Extensions, " ")
		if name == recipe.Fallback {
			files = "all other files"
		}
		fmt.Fprint(w, strings.TrimRight(fmt.Sprintf("  %-12s %s", name, files), " ")+"\n")
	}
}

func (c command) runHelp(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stdout, c.recipes)
		return exitOK
	}
	if args[0] == "ignore" {
		fmt.Fprint(stdout, ignoreText)
		fmt.Fprint(stdout, cook.DefaultIgnore)
		return exitOK
	}
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return fail(context.Background(), stderr, &cook.ConfigError{Err: err})
	}
	r, ok := set.Lookup(args[0])
	if !ok {
		wrong(stderr, "no recipe %q; have %s", args[0], strings.Join(set.Names(), ", "))
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
	for _, h := range r.Hints {
		fmt.Fprintf(w, "  %s = %v for names that end in %s\n", h.Key, h.Value, strings.Join(h.Suffixes, ", "))
	}
	for _, out := range c.Outputs() {
		fmt.Fprintf(w, "  output: %s\n", out)
	}
	for _, o := range recipe.Options(c) {
		fmt.Fprintf(w, "\n  %s: %s; default %s\n      %s\n", o.Key, o.Want, o.Value(c), o.Doc)
	}
}
