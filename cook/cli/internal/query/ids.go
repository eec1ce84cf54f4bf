package query

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/ids"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
)

const idsText = `usage: cook ids -dir assets [flags] [pattern ...]
       cook ids -dir assets -moved OLD NEW

Lists the IDs of the assets of the last run. Assets have IDs if cook.toml has the line
ids = true in its table [project]. An ID is made from the first path of the asset and survives
renames: if a cook finds the content of an asset under another path, it records the rename in
the file assets.ids in the asset directory. Keep this file in version control.

If an asset was renamed and edited before the next cook, record the rename with -moved: the next
cook gives NEW the ID of OLD.

Example:
	cook ids 'ui/*.png'
	cook ids -moved ui/logo.png ui/title.png
`

// IDs is the verb "cook ids".
var IDs = cmdline.Verb{
	Name: "ids", Synopsis: "ids -dir assets [flags] [pattern ...]", Summary: "list the IDs of assets, or move one", Text: idsText,
	Takes: cmdline.Argument{Files: true},
	New:   cmdline.HandlerOf((*idsOptions).idsFlags, (*idsOptions).runIDs),
}

type idsOptions struct {
	lastRun
	moved bool
}

func (r *idsOptions) idsFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	cmdline.IDsFlag(fs, &r.project)
	fs.BoolVar(&r.moved, "moved", false, "record that the asset OLD is now NEW")
}

func (r *idsOptions) runIDs(ctx context.Context, c *cmdline.Call, words []string) int {
	return r.answerQuery(ctx, c, "ids", false, words, func(words []string, w io.Writer) error {
		switch {
		case !r.project.IDs:
			return &cook.ConfigError{Err: errors.New("assets have no IDs; set ids = true in the table [project] of cook.toml, or use -ids")}
		case r.moved && (len(words) != 2 || r.project.Dir == ""):
			return &cook.ConfigError{Err: errors.New("want an asset directory, and the old and the new path of an asset; try: cook ids -moved ui/logo.png ui/title.png")}
		case r.moved:
			return r.moveID(r.assetPath(words[0]), r.assetPath(words[1]), w)
		}
		return r.listIDs(words, w)
	})
}

// listIDs prints one line for each asset, even if the asset has several targets.
func (r *idsOptions) listIDs(patterns []string, w io.Writer) error {
	lines := bufio.NewWriter(w)
	last := ""
	err := r.eachAsset(survey.EachWithoutInputs, patterns, func(a *survey.Asset) bool {
		if a.Path != last {
			fmt.Fprintln(lines, a.ID, pathname.Show(a.Path))
		}
		last = a.Path
		return true
	})
	return cmp.Or(err, lines.Flush())
}

// assetPath returns the path of an asset, which need not exist. The word is relative to the working
// directory or to the asset directory.
func (r *idsOptions) assetPath(word string) string {
	if rel, ok := cmdline.Below(r.project.Dir, word); ok {
		return filepath.ToSlash(rel)
	}
	return path.Clean(filepath.ToSlash(word))
}

// moveID records that an asset was renamed.
func (r *idsOptions) moveID(from, to string, w io.Writer) error {
	refuse := func(format string, args ...any) error { return &cook.ConfigError{Err: fmt.Errorf(format, args...)} }
	at := func(asset string) string { return filepath.Join(r.project.Dir, filepath.FromSlash(asset)) }
	if info, err := os.Stat(at(to)); err != nil || !info.Mode().IsRegular() || !filepath.IsLocal(filepath.FromSlash(to)) {
		return refuse("there is no asset %s", pathname.Show(to))
	}
	if is, err := os.Lstat(at(from)); err == nil {
		if now, err := os.Lstat(at(to)); err != nil || !os.SameFile(is, now) {
			return refuse("asset %s still exists and keeps its ID", pathname.Show(from))
		}
	}
	name := at(scan.IDsName)
	set, err := ids.Load(name)
	if err != nil {
		return &cook.ConfigError{Err: err}
	}
	if set.Has(to) {
		return refuse("%s already has the ID of another asset that was renamed to it; if that is wrong, remove the line of %[1]s from %[2]s", pathname.Show(to), pathname.Show(name))
	}
	next, made := set.Move([]ids.Move{{From: from, To: to}}, set.ID, func(func(string) bool) {})
	if len(made) == 0 {
		fmt.Fprintf(w, "%s already has this ID\n", pathname.Show(to))
		return nil
	}
	if data := next.Bytes(); data == nil {
		err = busyfile.Remove(name)
	} else {
		err = atomicfile.Write(name, 0o666, func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s is now %s and keeps its ID; recorded in %s\n", pathname.Show(from), pathname.Show(to), scan.IDsName)
	return nil
}
