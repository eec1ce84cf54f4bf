// Command stages prints how long each stage of cook takes in three situations. In the first,
// nothing has changed. In the second, every source was touched. In the third, cook trusts no stamp
// and computes all checksums, with the table-driven CRC-32 of older engines (slice8) or with xxHash
// (xxh3).
//
//	go run ./bench/stages -dir supertuxkart >>bench/results/stages.md
//
// It copies the directory, cooks the copy once, unmeasured, and then measures the situations in
// turn. The printed times are medians.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/recipes"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measureStages(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stages:", err)
		os.Exit(1)
	}
}

// A kind is one measured situation.
type kind struct {
	name, checksum string
	touch, verify  bool
}

var kinds = []kind{
	{name: "no-op"},
	{name: "touched, slice8", checksum: "slice8", touch: true},
	{name: "touched, xxh3", checksum: "xxh3", touch: true},
	{name: "-verify, slice8", checksum: "slice8", verify: true},
	{name: "-verify, xxh3", checksum: "xxh3", verify: true},
}

// A measurement holds the durations of one run: the total, and the duration of each stage.
type measurement map[string]time.Duration

const whole = "wall"

func measureStages(ctx context.Context, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("stages", flag.ExitOnError)
	dir := flags.String("dir", "", "`directory` of source assets")
	rounds := flags.Int("rounds", 7, "`number` of runs of each kind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || *rounds < 1 {
		return errors.New("want a directory of assets (-dir) and at least one round")
	}
	work, err := os.MkdirTemp("", "stages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(filepath.Join(work, "assets"), os.DirFS(*dir)); err != nil {
		return err
	}
	b := bench{work: work, found: map[string][]measurement{}}
	for _, sum := range []string{"slice8", "xxh3"} { // An index can hold only one checksum algorithm, so each algorithm has its own directory.
		if _, err := b.cook(ctx, kind{checksum: sum}); err != nil {
			return err
		}
	}
	for range *rounds {
		for _, k := range kinds {
			if err := b.measure(ctx, k); err != nil {
				return err
			}
		}
	}
	b.writeStages(w)
	return nil
}

type bench struct {
	work   string
	assets cook.Count
	found  map[string][]measurement
	stages []string // names of the stages in the order of first use
}

func (b *bench) measure(ctx context.Context, k kind) error {
	if k.touch {
		if err := b.touch(); err != nil {
			return err
		}
	}
	m, err := b.cook(ctx, k)
	b.found[k.name] = append(b.found[k.name], m)
	return err
}

// touch sets the mtime of all sources to the current time.
func (b *bench) touch() error {
	now := time.Now()
	return filepath.WalkDir(filepath.Join(b.work, "assets"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.Chtimes(name, now, now)
	})
}

// cook runs cook with a clock that is an hour ahead. All files then seem old enough that cook
// trusts their stamps.
func (b *bench) cook(ctx context.Context, k kind) (measurement, error) {
	sum := cmp.Or(k.checksum, "xxh3")
	stages := &stages{took: measurement{}}
	project := cook.Project{
		Dir: filepath.Join(b.work, "assets"), Out: filepath.Join(b.work, "cooked-"+sum), Cache: filepath.Join(b.work, "store"),
		Recipes: recipes.All(), Engine: "own", Checksum: sum, Now: func() time.Time { return time.Now().Add(time.Hour) },
	}
	s, err := cook.Cook(ctx, project, cook.CookOptions{IgnoreTimestamps: k.verify, Observer: stages})
	if err != nil {
		return nil, err
	}
	stages.Stage("")
	if k.name != "" && s.Cooked.Assets > 0 {
		return nil, fmt.Errorf("%s: %d assets were cooked, want none", k.name, s.Cooked.Assets)
	}
	b.assets = s.Found
	for _, name := range stages.order {
		if !slices.Contains(b.stages, name) {
			b.stages = append(b.stages, name)
		}
	}
	stages.took[whole] = s.Took
	return stages.took, nil
}

// writeStages prints the table of durations.
func (b *bench) writeStages(w io.Writer) {
	fmt.Fprintf(w, "%d assets, %s of sources, %s of artifacts; %s, %s/%s, %d cores\n\n| stage |", b.assets.Assets,
		human.Bytes(b.assets.In), human.Bytes(b.assets.Out), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, k := range kinds {
		fmt.Fprintf(w, " %s |", k.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---:|", len(kinds)))
	for _, stage := range append(slices.Clone(b.stages), whole) {
		if b.never(stage) {
			continue
		}
		fmt.Fprintf(w, "| %s |", stage)
		for _, k := range kinds {
			var all []time.Duration
			for _, m := range b.found[k.name] {
				all = append(all, m[stage])
			}
			slices.Sort(all)
			fmt.Fprintf(w, " %s |", human.Duration(all[len(all)/2]))
		}
		fmt.Fprintln(w)
	}
}

// never reports whether no measured run entered the stage.
func (b *bench) never(stage string) bool {
	for _, all := range b.found {
		for _, m := range all {
			if m[stage] > 0 {
				return false
			}
		}
	}
	return true
}

// stages is an observer that measures how long each stage takes.
type stages struct {
	cook.Observers

	name  string
	since time.Time
	took  measurement
	order []string
}

func (s *stages) Stage(name string) {
	now := time.Now()
	if s.name != "" {
		s.took[s.name] += now.Sub(s.since)
	}
	if s.name, s.since = name, now; name != "" && !slices.Contains(s.order, name) {
		s.order = append(s.order, name)
	}
}
