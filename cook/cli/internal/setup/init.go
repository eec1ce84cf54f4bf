// Package setup holds the verbs of cook that write and repair cook.toml.
package setup

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

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
)

const initText = `usage: cook init [flags] [DIR]

Writes a cook.toml for a directory of assets, with its path and, as comments, all options of
the recipes that cook its files. Also writes a schema for editors and a .cookignore.
Then "cook" alone cooks the directory. Images that look like a 2D game get a rule with
preset = "2d". The default directory is assets; . puts cook.toml among the assets. An existing
schema is replaced; other existing files are not.

Example:
	cook init assets
	cook init -for three assets
	cook init -n
`

// schemaName is the name of the schema file that init writes.
const schemaName = "cook.schema.json"

// Init is the verb "cook init".
var Init = cmdline.Verb{
	Name: "init", Synopsis: "init [flags] [DIR]", Summary: "write a cook.toml for a directory of assets", Text: initText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*initOptions).initFlags, (*initOptions).runInit),
}

type initOptions struct {
	dryRun bool
	engine string
}

func (r *initOptions) initFlags(fs *flag.FlagSet) {
	fs.BoolVar(&r.dryRun, "n", false, "dry run: print what would be written, and write nothing")
	cmdline.ListedFlag(fs, &r.engine, "for", engine.Any, "`engine` that loads the outputs; cook help engines lists them", engine.Names)
}

func (r *initOptions) runInit(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 1 {
		return c.Wrong("want one directory, have %q", words)
	}
	if _, ok := engine.Lookup(r.engine); !ok {
		return c.Wrong("unknown engine %q%s; have %s", r.engine, nearestEngine(r.engine), strings.Join(engine.Names(), ", "))
	}
	dir := "assets"
	if len(words) == 1 {
		dir = words[0]
	}
	if !cmdline.IsFolder(dir) {
		return c.Wrong("there is no directory %s; name the asset directory, as in: cook init art", pathname.Show(dir))
	}
	home := "."
	if !cmdline.IsBelow(".", dir) {
		home = dir
	}
	config, ignore := filepath.Join(home, scan.ConfigName), filepath.Join(dir, scan.IgnoreName)
	if _, err := os.Lstat(config); !errors.Is(err, fs.ErrNotExist) {
		return c.Wrong("%s exists already; nothing was written", pathname.Show(config))
	}
	seen, err := sightTree(ctx, c.Recipes, dir)
	if err != nil {
		return c.Fail(ctx, err)
	}
	seen.engine = r.engine
	text := seen.config(dir, home)
	if _, err := rules.ReadProject(config, []byte(text)); err != nil {
		return c.Wrong("cook.toml cannot contain the name of directory %s; rename the directory", pathname.Show(dir))
	}
	schema, err := rules.Schema(seen.recipes)
	if err != nil {
		return c.Fail(ctx, err)
	}
	files := []initFile{{config, text}}
	if _, err := os.Lstat(ignore); err != nil {
		files = append(files, initFile{ignore, seen.ignore()})
	}
	if r.dryRun {
		for _, f := range files {
			fmt.Fprintf(c.Stdout, "== %s\n%s\n", pathname.Show(f.name), f.text)
		}
		return frontend.OK
	}
	next := "cook"
	switch {
	case home != dir: // a schema in the asset directory would itself be an asset
		files = append(files, initFile{filepath.Join(home, schemaName), string(schema)})
	case dir != ".":
		next += " " + pathname.Show(dir)
	}
	c.AtWork()
	var wrote []string
	for _, f := range files {
		if err := atomicfile.Write(f.name, 0o666, func(w io.Writer) error { _, err := io.WriteString(w, f.text); return err }); err != nil {
			return c.Fail(ctx, err)
		}
		wrote = append(wrote, pathname.Show(f.name))
	}
	fmt.Fprintf(c.Stdout, "wrote %s\n%snow run: %s\n", strings.Join(wrote, ", "), seen.flatGameNote(config), next)
	return frontend.OK
}

// nearestEngine returns the last part of a message about an unknown engine.
func nearestEngine(name string) string {
	if word := nearest.Word(name, engine.Names()); word != "" {
		return fmt.Sprintf("; did you mean %q?", word)
	}
	return ""
}

// An initFile is a file that init writes.
type initFile struct{ name, text string }

// config returns the text of the cook.toml that init writes to the directory home. dir is the asset
// directory.
func (s *sight) config(dir, home string) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	if home != dir {
		p("#:schema ./%s\n", schemaName)
	}
	p("# Where the project is, and how its assets are cooked. Lines after a # are defaults. To\n")
	p("# change one, remove the # of the line, of its [[rule]] and of its match. See also: cook help image.\n\n")
	p("[project]\n")
	folder := "."
	if home != dir {
		folder = filepath.ToSlash(filepath.Clean(dir))
	}
	p("dir = %-14q # the assets, relative to this file\n", folder)
	p("out = %-14q # the outputs to ship; each run brings them up to date\n", "cooked")
	p("engine = %-11q # engine that loads the outputs; your engine's name may make them smaller (cook help engines)\n", s.engine)
	p("# cache = %-10q # results of this and other projects; usually in the user's cache directory\n", "store")
	p("# state = %-10q # holds .cook, the state of cook; usually in the output directory\n", "build")
	p("# ids = %-12v # assets have IDs that they keep through renames: cook help ids\n", true)
	p("# manifest = %-7q # the list of outputs in several files, for tens of thousands of assets\n", "parts")
	p("# targets = %-8q # cooked unless -target names others\n\n", rules.AllTargets)
	p("# There are %s, %s.\n", human.Count(s.found.Assets, "asset"), human.Bytes(s.found.In))
	if s.flat {
		s.preset(&b)
	}
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		s.writeCommentedRule(&b, name)
	}
	p("\n# Options for one target only:\n# [target.mobile.image]\n# gpu = \"mobile\"\n")
	return b.String()
}

// writeCommentedRule writes a commented-out rule with all options of a recipe.
func (s *sight) writeCommentedRule(b *strings.Builder, name string) {
	counts, match := s.patterns(name)
	r, _ := s.recipes.Lookup(name)
	cooker := r.New()
	fmt.Fprintf(b, "\n# %s cooks %s.\n# [[rule]]\n# match = %s\n", name, counts, match)
	for _, o := range recipeset.Options(cooker) {
		about, _, _ := strings.Cut(o.Doc, ";")
		fmt.Fprintf(b, "# %-28s # %s\n", o.Key+" = "+o.Value(cooker), about)
	}
}

// patterns returns two texts about the extensions that a recipe cooks, the most frequent first:
// their counts, and the match of a rule.
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

func (s *sight) ignore() string {
	var b strings.Builder
	b.WriteString("# Files that are no assets, in the syntax of .gitignore: *.bak, /notes/, !keep.bak.\n")
	if len(s.copied) > 0 {
		b.WriteString("\n# No recipe cooks these files, so they are copied. Remove a # to leave files out instead.\n")
		for _, k := range s.copied {
			if k.Name != "" {
				fmt.Fprintf(&b, "# %s, %s:\n#*%s\n", human.Count(k.Files, "file"), human.Bytes(k.Bytes), pathname.Show(k.Name))
			}
		}
	}
	if len(s.leftOut) > 0 {
		b.WriteString("\n# These files are left out (cook help ignore). Remove a # to include files again.\n")
		for _, k := range s.leftOut {
			pattern, what := k.Name, "folder"
			if !strings.HasSuffix(k.Name, "/") {
				what = "file"
				if strings.HasPrefix(k.Name, ".") {
					pattern = "*" + k.Name
				}
			}
			fmt.Fprintf(&b, "# %s:\n#!%s\n", human.Count(k.Files, what), pathname.Show(pattern))
		}
	}
	return b.String()
}

// preset writes a rule for images in a 2D game.
func (s *sight) preset(w io.Writer) {
	_, match := s.patterns("image")
	fmt.Fprintf(w, "\n# The images look like a 2D game: small, most with alpha, and no models. If they are not,\n"+
		"# remove this rule; \"pixel\" is for pixel art, \"3d\" for textures of a scene.\n[[rule]]\nmatch  = %s\npreset = \"2d\"\n", match)
}

// flatGameNote returns a line about the rule for a 2D game. It returns "" if config has no such
// rule.
func (s *sight) flatGameNote(config string) string {
	if !s.flat {
		return ""
	}
	return fmt.Sprintf("the images look like a 2D game: %s has preset = \"2d\" for them\n", pathname.Show(config))
}
