package query

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/texttable"
)

const listText = `usage: cook list -dir assets [flags] [pattern ...]

Lists the assets as the last run left them: recipe, outcome, and the sizes of source and
outputs. For images, it also lists the role and, if the store has the result, the evidence for
the role, format and mips. The column psnr compares textures with their sources, which takes time.

With -since, it lists the assets that the changes since a git revision affect: assets that have
changed, assets whose dependencies, rules or programs have changed, and assets that a run would
cook now. If git cannot tell, it lists all assets. With -shard 3/8, it lists the third of eight
parts.

Example:
	cook list -dir assets -sort out -lines 20 '*.png'
	cook list -dir assets -columns path,role,format,mips,psnr 'flags/*'
	cook list -dir assets -since origin/main -json
`

// List is the verb "cook list".
var List = cmdline.Verb{
	Name: "list", Synopsis: "list -dir assets [flags] [pattern ...]", Summary: "list assets, with outcomes and sizes", Text: listText,
	Takes: cmdline.Argument{Files: true, Patterns: true},
	New:   cmdline.HandlerOf((*listOptions).listFlags, (*listOptions).runList),
}

type listOptions struct {
	lastRun
	sort    string
	columns columnList
	lines   int
	since   string
	shard   session.Shard
}

func (r *listOptions) listFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	cmdline.RuleFlags(fs, &r.project, "with -since: cook for these targets, `names` separated by commas; all means every declared target")
	cmdline.StoreFlag(fs, &r.project.Cache)
	fs.StringVar(&r.since, "since", "", "list the assets that the changes since this git `revision` affect")
	cmdline.ShardFlag(fs, &r.shard)
	fs.BoolVar(&r.json, "json", false, "print each asset as one line of JSON")
	cmdline.ListedFlag(fs, &r.sort, "sort", "path", "sort by this `column` (-columns lists them); numbers and times begin with the largest", columnNames)
	fs.Var(&r.columns, "columns", "print these `columns`, separated by commas: "+strings.Join(columnNames(), ", "))
	fs.IntVar(&r.lines, "lines", 0, "print at most this `number` of assets; 0 is all")
}

func (r *listOptions) runList(ctx context.Context, c *cmdline.Call, words []string) int {
	return r.answerQuery(ctx, c, "list", false, words, func(patterns []string, w io.Writer) error {
		return r.listAssets(ctx, c, patterns, w)
	})
}

// A columnList is a flag value: names of columns.
type columnList struct{ cmdline.Names }

func (c *columnList) Choices() []string { return columnNames() }

// A column is a property of assets that cook list prints.
type column struct {
	name string
	text func(*survey.Asset) string
	// number returns the sort key, and larger numbers come first. If it is nil, the text is the
	// sort key.
	number func(*survey.Asset) int64
}

var columns = []column{
	{"path", func(a *survey.Asset) string { return pathname.Show(a.Path) }, nil},
	{"target", func(a *survey.Asset) string { return pathname.Show(a.Target) }, nil},
	{"id", func(a *survey.Asset) string { return a.ID }, nil},
	{"recipe", func(a *survey.Asset) string { return a.Method.Recipe }, nil},
	{"outcome", func(a *survey.Asset) string { return listedOutcome(a) }, nil},
	{"in", func(a *survey.Asset) string { return human.Bytes(a.In) }, func(a *survey.Asset) int64 { return a.In }},
	{"out", func(a *survey.Asset) string { return human.Bytes(a.Out()) }, (*survey.Asset).Out},
	{"time", func(a *survey.Asset) string { return human.Duration(a.CookTime) }, func(a *survey.Asset) int64 { return int64(a.CookTime) }},
	{"when", func(a *survey.Asset) string { return a.Last.At.Format(time.DateTime) }, func(a *survey.Asset) int64 { return a.Last.At.UnixNano() }},
	{"from", func(a *survey.Asset) string { return fromOf(a) }, nil},
	{"outputs", func(a *survey.Asset) string { return report.ShowAll(outputsOf(a)) }, nil},
	{"why", func(a *survey.Asset) string { return pathname.Escape(strings.Join(a.Last.Reasons, "; ")) }, nil},
	{"role", (*survey.Asset).Role, nil},
	{"evidence", func(a *survey.Asset) string { return pathname.Escape(a.Last.Facts.Evidence) }, nil},
	{"format", func(a *survey.Asset) string { return pathname.Escape(a.Last.Facts.Format) }, nil},
	{"mips", mipsOf, func(a *survey.Asset) int64 { return int64(a.Last.Facts.Levels) }},
	{"psnr", psnrOf, func(a *survey.Asset) int64 { return int64(-1000 * a.Last.Facts.PSNR) }},
}

// aboutImages has the columns that are empty for assets other than images.
var aboutImages = []string{"role", "evidence", "format", "mips", "psnr"}

// recalled has the columns whose values are read from the store.
var recalled = []string{"evidence", "format", "mips"}

// mipsOf returns the number of mip levels of a texture, or "" for other files.
func mipsOf(a *survey.Asset) string {
	if a.Last.Facts.Levels == 0 {
		return ""
	}
	return strconv.Itoa(a.Last.Facts.Levels)
}

// lossless is the text for a texture with the same pixels as its source.
const lossless = "lossless"

// psnrOf returns the PSNR of a texture compared with its source. It returns "" if they were not
// compared.
func psnrOf(a *survey.Asset) string {
	switch {
	case math.IsNaN(a.Last.Facts.PSNR) || a.Last.Facts.PSNR == 0:
		return ""
	case math.IsInf(a.Last.Facts.PSNR, 1):
		return lossless
	}
	return fmt.Sprintf("%.1f dB", a.Last.Facts.PSNR)
}

func columnNames() (all []string) {
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

func findColumn(name string) (*column, error) {
	for i := range columns {
		if columns[i].name == name {
			return &columns[i], nil
		}
	}
	end := "; have " + strings.Join(columnNames(), ", ")
	if w := nearest.Word(name, columnNames()); w != "" {
		end = fmt.Sprintf("; did you mean %q?", w)
	}
	return nil, &cook.ConfigError{Err: fmt.Errorf("there is no column %q%s", name, end)}
}

// listedOutcome returns the outcome of an asset in the last run that worked on the asset.
func listedOutcome(a *survey.Asset) string {
	if a.Failed {
		return "failed"
	}
	return string(a.Last.Outcome)
}

// fromOf describes the machine that cooked the artifacts. It returns "" for this machine.
func fromOf(a *survey.Asset) string {
	if a.Last.Origin.IsZero() {
		return ""
	}
	return remote.Describe(a.Last.Origin, a.CookTime)
}

func outputsOf(a *survey.Asset) (all []string) {
	for _, o := range a.Outputs {
		all = append(all, o.Path)
	}
	return all
}

// listAssets prints a line for each matching asset.
func (r *listOptions) listAssets(ctx context.Context, c *cmdline.Call, patterns []string, w io.Writer) error {
	by, err := findColumn(r.sort)
	if err != nil {
		return err
	}
	if len(r.columns.Names) == 0 {
		r.columns.Names = cmdline.Names{"path", "recipe", "outcome", "in", "out"}
	}
	var shown []*column
	for _, name := range r.columns.Names {
		c, err := findColumn(name)
		if err != nil {
			return err
		}
		shown = append(shown, c)
	}
	names := append(slices.Clone(r.columns.Names), by.name)
	if r.json {
		ofImages := slices.ContainsFunc(shown, func(c *column) bool { return slices.Contains(aboutImages, c.name) })
		lines := report.NewJSON(w)
		defer lines.Flush()
		return r.eachListed(ctx, c, patterns, by, names, func(a *survey.Asset) error { return lines.Line(assetRecord(a, ofImages)) })
	}
	t := texttable.New(w, texttable.Left)
	row := make([]any, len(shown))
	err = r.eachListed(ctx, c, patterns, by, names, func(a *survey.Asset) error {
		for k, c := range shown {
			text := c.text(a)
			if c.name == "path" && a.Target != "" {
				text += " [" + pathname.Show(a.Target) + "]"
			}
			row[k] = text
		}
		t.Row(row...)
		return nil
	})
	if err != nil {
		return err
	}
	return t.Flush()
}

// eachListed calls do with each asset to list, sorted by a column. names are the columns whose
// values are used. It stops at the first error of do.
func (r *listOptions) eachListed(ctx context.Context, c *cmdline.Call, patterns []string, by *column, names []string, do func(*survey.Asset) error) (err error) {
	left := r.lines
	if left <= 0 {
		left = math.MaxInt
	}
	show := func(a *survey.Asset) bool {
		left--
		err = do(a)
		return err == nil && left > 0
	}
	if r.since == "" && by.name == "path" && !slices.ContainsFunc(names, isStored) {
		read := r.eachAsset(survey.EachWithoutInputs, patterns, func(a *survey.Asset) bool { return !r.shard.Has(a.Path) || show(a) })
		if read != nil {
			return read
		}
		return err
	}
	list, err := r.chosenAssets(ctx, c, patterns)
	if err == nil {
		err = r.fillColumns(ctx, c, list, names)
	}
	if err != nil {
		return err
	}
	if by.name != "path" {
		slices.SortStableFunc(list, func(a, b survey.Asset) int {
			if by.number != nil {
				return cmp.Compare(by.number(&b), by.number(&a))
			}
			return cmp.Compare(by.text(&a), by.text(&b))
		})
	}
	for i := range list {
		if !show(&list[i]) {
			break
		}
	}
	return err
}

// isStored reports whether fillColumns fills in a column.
func isStored(name string) bool {
	return name == "from" || name == "psnr" || slices.Contains(recalled, name)
}

// chosenAssets returns the assets to list.
func (r *listOptions) chosenAssets(ctx context.Context, c *cmdline.Call, patterns []string) (list []survey.Asset, err error) {
	if r.since == "" {
		list, err = r.loadAssets(patterns)
	} else {
		list, err = r.assetsSince(ctx, c, patterns)
	}
	return slices.DeleteFunc(list, func(a survey.Asset) bool { return !r.shard.Has(a.Path) }), err
}

// fillColumns fills in values that the index lacks. It reads origins and facts from the store, and
// compares textures with their sources.
func (r *listOptions) fillColumns(ctx context.Context, c *cmdline.Call, list []survey.Asset, names []string) error {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return err
	}
	if slices.Contains(names, "from") {
		if err := survey.Trace(out, r.project.Cache, list); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(recalled, name) }) {
		if err := survey.Recall(out, r.project.Cache, list); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if slices.Contains(names, "psnr") {
		return r.compareTextures(ctx, c, out, list)
	}
	return nil
}

// compareTextures fills in the lowest PSNR among the textures of each asset.
func (r *listOptions) compareTextures(ctx context.Context, c *cmdline.Call, out string, list []survey.Asset) error {
	candidates := overview.Candidates(list)
	textures, err := measureTextures(ctx, c, r.project.Dir, out, candidates, len(candidates))
	for i, t := range textures {
		if a, db := candidates[i].Asset, t.Likeness.PSNR; a.Last.Facts.PSNR == 0 || db < a.Last.Facts.PSNR {
			a.Last.Facts.PSNR = db
		}
	}
	return err
}

// An assetJSON is an asset in the output of cook list -json.
type assetJSON struct {
	Path       string        `json:"path"`
	PathBase64 string        `json:"path_base64,omitempty"` // set only if the path is not valid UTF-8
	Target     string        `json:"target,omitempty"`
	ID         string        `json:"id,omitempty"` // "" if assets have no IDs
	Recipe     string        `json:"recipe,omitempty"`
	Outcome    string        `json:"outcome"` // "new" if no run has cooked the asset; only with -since
	In         int64         `json:"bytes_in"`
	Out        int64         `json:"bytes_out"`
	Took       time.Duration `json:"cook_ns"`
	At         time.Time     `json:"at,omitzero"`
	Why        []string      `json:"why"`
	Outputs    []outputJSON  `json:"outputs"`
	Origin     store.Origin  `json:"origin,omitzero"` // set only if the column "from" is listed
	Image      imageJSON     `json:"image,omitzero"`  // set only if columns about images are listed
}

// An imageJSON holds the facts about an image in the output of cook list -json.
type imageJSON struct {
	Role     string `json:"role,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	Format   string `json:"format,omitempty"`
	Mips     int    `json:"mips,omitempty"`
	PSNR     any    `json:"psnr,omitempty"` // number in dB, or the string "lossless"
}

func imageRecord(a *survey.Asset) imageJSON {
	rec := imageJSON{Role: a.Role(), Evidence: a.Last.Facts.Evidence, Format: a.Last.Facts.Format, Mips: a.Last.Facts.Levels}
	switch text := psnrOf(a); {
	case text == lossless:
		rec.PSNR = text
	case text != "":
		rec.PSNR = math.Round(10*a.Last.Facts.PSNR) / 10
	}
	return rec
}

type outputJSON struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Bytes      int64  `json:"bytes"`
}

// assetRecord returns the JSON record of an asset. If ofImages is set, it includes facts about an
// image.
func assetRecord(a *survey.Asset, ofImages bool) assetJSON {
	rec := assetJSON{
		Path: a.Path, PathBase64: report.UnlessUTF8(a.Path), Target: a.Target, ID: a.ID, Recipe: a.Method.Recipe, Outcome: listedOutcome(a), In: a.In, Out: a.Out(), Took: a.CookTime,
		At: a.Last.At, Why: a.Last.Reasons, Outputs: []outputJSON{}, Origin: a.Last.Origin,
	}
	if ofImages {
		rec.Image = imageRecord(a)
	}
	for _, o := range a.Outputs {
		rec.Outputs = append(rec.Outputs, outputJSON{o.Path, report.UnlessUTF8(o.Path), o.Size})
	}
	return rec
}
