package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A topic is a subject of help that is no verb, recipe, flag or option.
type topic struct {
	name  string
	print func(c command, w io.Writer)
}

var topics = []topic{
	{"rules", func(c command, w io.Writer) {
		fmt.Fprint(w, rulesText)
		if set, err := recipe.NewSet(c.recipes...); err == nil {
			listRecipes(w, set)
		}
	}},
	{"targets", func(_ command, w io.Writer) { fmt.Fprint(w, targetsText) }},
	{"patterns", func(_ command, w io.Writer) { fmt.Fprint(w, strings.TrimPrefix(patternText, "\n")) }},
	{"ignore", func(_ command, w io.Writer) { fmt.Fprint(w, ignoreText, cook.DefaultIgnore) }},
}

func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

const rulesText = `Rules say which recipe cooks a source, and with which options. They are in cook.toml in the
asset folder, or in a folder below it, which they govern. cook init writes a first file.

	[[rule]]
	match = ["ui/**/*.png", "!ui/photos/**"]
	mips  = false

	[[rule]]
	match   = "shaders/*.frag"
	command = ["glslangValidator", "-V", "{in}", "-o", "{out}"]
	outputs = ["{stem}.spv"]

The last rule that matches wins, key by key; a file in a folder below overrides the files
above it. A rule without a recipe sets its options for every recipe that has them.

cook help RECIPE prints the options of a recipe, cook why PATH the rules that count for one
asset, and cook schema a JSON Schema with which editors complete the file.
`

const targetsText = `A target is a named variant of the options, such as one for each platform. Its outputs are in
a folder of their own: cook -dir assets -target mobile writes cooked/mobile.

	[target.mobile.image]
	zstd = 19

	[[rule]]
	match   = "music/**"
	target  = "mobile"
	format  = "opus"
	bitrate = 48

A table sets options of one recipe; a rule with target sets options of matching files.
Without -target, cook makes the target without a name; -target all makes all that
are declared.
`

const ignoreText = `Files and folders that match these patterns are not cooked, whatever their case. A line
of a .cookignore that begins with "!" takes them back in, such as !*.psd or !Makefile.
Files that a recipe cooks by default are never left out.

`

// helpOnFlag prints a flag, written with its hyphen, and the verbs that have it. It prints
// each description once.
func helpOnFlag(w io.Writer, c command, word string) bool {
	name := strings.TrimLeft(word, "-")
	if name == "" || name == word {
		return false
	}
	var same []*flag.FlagSet // one for each description
	verbs := map[*flag.FlagSet][]string{}
	add := func(verb string, flags *flag.FlagSet) {
		f := flags.Lookup(name)
		if f == nil {
			return
		}
		i := slices.IndexFunc(same, func(fs *flag.FlagSet) bool { return fs.Lookup(name).Usage == f.Usage })
		if i < 0 {
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			fs.SetOutput(w)
			fs.Var(f.Value, f.Name, f.Usage)
			i, same = len(same), append(same, fs)
		}
		verbs[same[i]] = append(verbs[same[i]], verb)
	}
	add("cook", new(cookRun).flags())
	for _, v := range c.verbs() {
		add("cook "+v.name, v.flags())
	}
	for _, fs := range same {
		fmt.Fprintf(w, "%s:\n", strings.Join(verbs[fs], ", "))
		fs.PrintDefaults()
	}
	return len(same) > 0
}

// helpOnOption prints an option for each recipe that has it.
func helpOnOption(w io.Writer, set *recipe.Set, key string) (found bool) {
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		c := r.New()
		for _, o := range recipe.Options(c) {
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
func optionNames(set *recipe.Set) (keys []string) {
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, o := range recipe.Options(r.New()) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}
