package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const initText = `usage: cook init [flags] [FOLDER]

Looks at a folder of assets and writes a cook.toml with its place, and with all options of
the recipes that cook what is there, as comments; a schema for editors; and a .cookignore.
Then "cook" alone cooks the folder. Pictures that look like those of a 2D game get a rule with
preset = "2d". The folder is assets unless one is named; . is for a
cook.toml among the assets. Nothing that exists is written over but the schema.

Example:
	cook init assets
	cook init -n
`

// schemaName is the file of the schema that init writes.
const schemaName = "cook.schema.json"

// An initRun is a command line of cook init.
type initRun struct {
	dryRun bool
}

func (r *initRun) flags() *flag.FlagSet {
	fs := newFlags("init", initText)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: print what would be written, and write nothing")
	return fs
}

func (c command) runInit(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var r initRun
	words, code, ok := parse(r.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 1 {
		wrong(stderr, "want one folder, have %q", words)
		return exitUsage
	}
	dir := "assets"
	if len(words) == 1 {
		dir = words[0]
	}
	if !isFolder(dir) {
		wrong(stderr, "there is no folder %s; name that of the assets, as in: cook init art", pathname.Show(dir))
		return exitUsage
	}
	home := "." // of the cook.toml
	if !isBelow(".", dir) {
		home = dir
	}
	config, ignore := filepath.Join(home, scan.ConfigName), filepath.Join(dir, scan.IgnoreName)
	if _, err := os.Lstat(config); !errors.Is(err, fs.ErrNotExist) {
		wrong(stderr, "%s exists, and is left as it is; nothing was written", pathname.Show(config))
		return exitUsage
	}
	seen, err := c.lookAt(ctx, dir)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	text := seen.config(dir, home)
	if _, err := rules.ReadProject(config, []byte(text)); err != nil {
		wrong(stderr, "the name of folder %s cannot stand in a cook.toml; rename it", pathname.Show(dir))
		return exitUsage
	}
	schema, err := rules.Schema(seen.recipes)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	files := []initFile{{config, text}}
	if _, err := os.Lstat(ignore); err != nil {
		files = append(files, initFile{ignore, seen.ignore()})
	}
	if r.dryRun {
		for _, f := range files {
			fmt.Fprintf(stdout, "== %s\n%s\n", pathname.Show(f.name), f.text)
		}
		return exitOK
	}
	next := "cook"
	switch {
	case home != dir: // else it would be an asset
		files = append(files, initFile{filepath.Join(home, schemaName), string(schema)})
	case dir != ".":
		next += " " + pathname.Show(dir)
	}
	atWork()
	var wrote []string
	for _, f := range files {
		if err := atomicfile.Write(f.name, 0o666, func(w io.Writer) error { _, err := io.WriteString(w, f.text); return err }); err != nil {
			return fail(ctx, stderr, err)
		}
		wrote = append(wrote, pathname.Show(f.name))
	}
	fmt.Fprintf(stdout, "wrote %s\n%snow run: %s\n", strings.Join(wrote, ", "), seen.note(config), next)
	return exitOK
}

// An initFile is a file that init writes.
type initFile struct{ name, text string }

// A sight is what there is in an asset folder.
type sight struct {
	recipes *recipe.Set
	found   cook.Count
	// kinds are the extensions of the sources that recipes cook, and how many there are.
	kinds           map[string]map[string]int
	copied, leftOut []cook.Kind
	pictures        []string // paths of the sources that the recipe image cooks, sorted
	flat            bool     // they are those of a 2D game
}

func (s *sight) Stage(string)               {}
func (s *sight) Planned(int, time.Duration) {}
func (s *sight) Step(_, _, _ string)        {}
func (s *sight) Reading(_, _ int, _ int64)  {}
func (s *sight) Note(string)                {}

// Event counts a source.
func (s *sight) Event(e cook.Event) {
	if e.Recipe == "" || e.Recipe == recipe.Fallback || e.Outcome == cook.Started || e.Outcome == cook.Warned {
		return
	}
	if s.kinds[e.Recipe] == nil {
		s.kinds[e.Recipe] = map[string]int{}
	}
	s.kinds[e.Recipe][recipe.Ext(e.Path)]++
	if e.Recipe == "image" {
		s.pictures = append(s.pictures, e.Path)
	}
}

// lookAt looks at an asset folder as a first run would.
func (c command) lookAt(ctx context.Context, dir string) (*sight, error) {
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	s := &sight{recipes: set, kinds: map[string]map[string]int{}}
	nowhere, err := os.MkdirTemp("", "cook-init-")
	if err != nil {
		return nil, err
	}
	defer busyfile.RemoveAll(nowhere)
	project := cook.Project{Dir: dir, Out: filepath.Join(nowhere, "out"), Cache: filepath.Join(nowhere, "store"), Recipes: c.recipes}
	summary, err := cook.Cook(ctx, project, cook.CookOptions{DryRun: true, EveryAsset: true, Observer: s})
	s.found, s.copied, s.leftOut = summary.Found, summary.Copied, summary.LeftOut
	if err == nil {
		slices.Sort(s.pictures)
		var looks string
		looks, err = s.looks(ctx, dir)
		s.flat = looks == "2d"
	}
	return s, err
}

// config is a cook.toml for a folder, in a folder.
func (s *sight) config(dir, home string) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	if home != dir {
		p("#:schema ./%s\n", schemaName)
	}
	p("# Where the project is, and how its assets are cooked. Lines behind a # are defaults: to\n")
	p("# change one, take the # from its [[rule]], its match and itself. cook help image says more.\n\n")
	p("[project]\n")
	folder := "."
	if home != dir {
		folder = filepath.ToSlash(filepath.Clean(dir))
	}
	p("dir = %-14q # the assets, from the folder of this file\n", folder)
	p("out = %-14q # what is shipped; each run brings it up to date\n", "cooked")
	p("# cache = %-10q # results of this and other projects; usually in the user's cache folder\n", "store")
	p("# state = %-10q # holds .cook, the state of cook; usually in the output folder\n", "build")
	p("# ids = %-12v # assets have IDs that they keep through renames: cook help ids\n", true)
	p("# targets = %-8q # what is cooked unless -target says otherwise\n\n", rules.AllTargets)
	p("# There are %s, %s.\n", human.Count(s.found.Assets, "asset"), human.Bytes(s.found.In))
	if s.flat {
		s.preset(&b)
	}
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		s.rule(&b, name)
	}
	p("\n# Options for one target only:\n# [target.mobile.image]\n# gpu = \"mobile\"\n")
	return b.String()
}

// rule writes a rule, as a comment, with all options of a recipe.
func (s *sight) rule(b *strings.Builder, name string) {
	counts, match := s.patterns(name)
	r, _ := s.recipes.Lookup(name)
	cooker := r.New()
	fmt.Fprintf(b, "\n# %s cooks %s.\n# [[rule]]\n# match = %s\n", name, counts, match)
	for _, o := range recipe.Options(cooker) {
		about, _, _ := strings.Cut(o.Doc, ";")
		fmt.Fprintf(b, "# %-28s # %s\n", o.Key+" = "+o.Value(cooker), about)
	}
}

// patterns returns what a recipe cooks, for people and as a rule's match; the most first.
func (s *sight) patterns(name string) (counts, match string) {
	kinds := s.kinds[name]
	exts := slices.Sorted(maps.Keys(kinds))
	slices.SortStableFunc(exts, func(a, b string) int { return cmp.Compare(kinds[b], kinds[a]) })
	var numbers, patterns []string
	for _, ext := range exts {
		numbers = append(numbers, fmt.Sprintf("%d %s", kinds[ext], pathname.Show(ext)))
		patterns = append(patterns, fmt.Sprintf("%q", "*"+ext))
	}
	match = strings.Join(patterns, ", ")
	if len(patterns) > 1 {
		match = "[" + match + "]"
	}
	return strings.Join(numbers, ", "), match
}

// ignore is a .cookignore.
func (s *sight) ignore() string {
	var b strings.Builder
	b.WriteString("# What is no asset, as in a .gitignore: *.bak, /notes/, !keep.bak.\n")
	if len(s.copied) > 0 {
		b.WriteString("\n# No recipe is for these, and they are copied as they are. Without the # a line leaves them out.\n")
		for _, k := range s.copied {
			if k.Name != "" {
				fmt.Fprintf(&b, "# %s, %s:\n#*%s\n", human.Count(k.Files, "file"), human.Bytes(k.Bytes), pathname.Show(k.Name))
			}
		}
	}
	if len(s.leftOut) > 0 {
		b.WriteString("\n# These are left out (cook help ignore). Without the # a line takes them back in.\n")
		for _, k := range s.leftOut {
			pattern, what := k.Name, "folder"
			if !strings.HasSuffix(k.Name, "/") {
				what = "file"
				if strings.HasPrefix(k.Name, ".") {
					pattern = "*" + k.Name // an extension, or a name
				}
			}
			fmt.Fprintf(&b, "# %s:\n#!%s\n", human.Count(k.Files, what), pathname.Show(pattern))
		}
	}
	return b.String()
}
