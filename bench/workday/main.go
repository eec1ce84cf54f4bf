// Workday measures the builds of a working day with cook and with other tools. All tools make the
// same images smaller, from the same Git repository:
//
//	first build         after git clone, without outputs and caches
//	no change           right after a build
//	one edit            after one image was edited
//	branch switch       after git switch to a branch with a tenth of the images edited
//	branch switch back  after git switch to a branch that was built before
//	second clone        after git clone on a machine that shares the cache of the first machine
//
// After each build, workday checks the outputs: there is one for each image, and the outputs of a
// branch have the same bytes as after the first build of that branch.
//
//	go run ./bench/workday -images /usr/share/games/supertux2/images
//	go run ./bench/workday -images DIR -n 200 -rounds 1 -tools cook,ninja
//
// Tools that are not installed are left out. The importer of Godot 3.2.3 crashes with many images, so
// that -tools has to name the others. AssetPack runs from the node_modules directory in
// -assetpack. Each tool is configured as its documentation shows.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/recipes"
)

// asCook is the environment variable that makes this program the command cook.
const asCook = "BENCH_WORKDAY_AS_COOK"

func main() {
	if os.Getenv(asCook) != "" {
		cli.Main(recipes.All()...)
	}
	var d day
	images := flag.String("images", "", "directory with PNG files")
	n := flag.Int("n", 600, "number of images")
	rounds := flag.Int("rounds", 3, "number of rounds; each round has all builds of all tools")
	names := flag.String("tools", "", "tools to measure, separated by commas (default: all that are installed)")
	assetpack := flag.String("assetpack", "", "directory node_modules with @assetpack/core")
	flag.StringVar(&d.work, "work", "", "directory for all files (default: a temporary directory)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := d.measureDay(ctx, *images, *n, *rounds, installedTools(*names, *assetpack)); err != nil {
		log.Fatal(err)
	}
}

// A day is a measurement of all builds.
type day struct {
	work  string
	repo  *repository
	tools []*tool
	times map[string]map[string][]usage // times by build and tool
}

// builds lists the measured builds in the order of the report.
var builds = []string{"first build", "no change", "one edit", "branch switch", "branch switch back", "second clone"}

// A usage is the time of one build.
type usage struct{ wall, cpu time.Duration }

func (d *day) measureDay(ctx context.Context, images string, n, rounds int, tools []*tool) (err error) {
	if d.work == "" {
		if d.work, err = os.MkdirTemp("", "workday"); err != nil {
			return err
		}
		defer os.RemoveAll(d.work)
	}
	if d.repo, err = newImageRepository(ctx, filepath.Join(d.work, "repo"), images, n); err != nil {
		return err
	}
	d.tools, d.times = tools, map[string]map[string][]usage{}
	for _, b := range builds {
		d.times[b] = map[string][]usage{}
	}
	for round := range rounds {
		for i := range tools {
			t := tools[(i+round)%len(tools)]
			if err := d.liveDay(ctx, t); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	d.printMedians(rounds)
	return nil
}

// liveDay carries out the builds of a day with one tool.
func (d *day) liveDay(ctx context.Context, t *tool) error {
	home := filepath.Join(d.work, "home")
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(home)
	here := &machine{tool: t, repo: d.repo, clone: filepath.Join(home, "first"), state: filepath.Join(home, "first-state"), shared: filepath.Join(home, "shared")}
	defer here.shutDownServers()
	if err := here.setUpClone(ctx); err != nil {
		return err
	}
	made := map[string]digests{} // outputs of the first build, by branch
	measure := func(m *machine, name, branch string) error {
		spent, err := m.buildOnce(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sums, err := m.digestOutputs()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if made[branch] == nil {
			made[branch] = sums
		}
		if wrong := made[branch].differing(sums); wrong > 0 {
			fmt.Printf("%s, %s: %d outputs are wrong\n", t.name, name, wrong)
		}
		if slices.Contains(builds, name) {
			d.times[name][t.name] = append(d.times[name][t.name], spent)
		}
		return nil
	}
	edited := d.repo.images[len(d.repo.images)/2]
	steps := []struct {
		build, branch string
		before        func() error
	}{
		{"first build", mainBranch, nil},
		{"no change", mainBranch, nil},
		{"one edit", "edit", func() error { return drawBar(filepath.Join(here.clone, edited), 77) }},
		{"edit taken back", mainBranch, func() error { return git(ctx, here.clone, "checkout", "--", edited) }},
		{"branch switch", artBranch, func() error { return git(ctx, here.clone, "switch", "-q", artBranch) }},
		{"branch switch back", mainBranch, func() error { return git(ctx, here.clone, "switch", "-q", mainBranch) }},
	}
	for _, s := range steps {
		if s.before != nil {
			time.Sleep(2 * time.Second) // make and ninja compare timestamps, so builds must not end in the moment of an edit
			if err := s.before(); err != nil {
				return err
			}
		}
		if err := measure(here, s.build, s.branch); err != nil {
			return err
		}
	}
	if made[mainBranch].differing(made[artBranch]) == 0 || made[mainBranch].differing(made["edit"]) == 0 {
		return fmt.Errorf("the edits changed no output")
	}
	here.shutDownServers()
	there := &machine{tool: t, repo: d.repo, clone: filepath.Join(home, "second"), state: filepath.Join(home, "second-state"), shared: here.shared}
	defer there.shutDownServers()
	if err := there.setUpClone(ctx); err != nil {
		return err
	}
	return measure(there, "second clone", mainBranch)
}

// printMedians prints a table of the medians.
func (d *day) printMedians(rounds int) {
	fmt.Printf("%d images, %.1f MB, %d rounds; cells have the median wall time, the median CPU time (without servers), and the wall time as a multiple of cook's\n\n", len(d.repo.images), float64(d.repo.bytes)/1e6, rounds)
	fmt.Print("| |")
	for _, b := range builds {
		fmt.Printf(" %s |", b)
	}
	fmt.Print("\n|---|", strings.Repeat("---:|", len(builds)), "\n")
	for _, t := range d.tools {
		fmt.Printf("| %s |", t.titleWithVersion())
		for _, b := range builds {
			own, first := medianUsage(d.times[b][t.name]), medianUsage(d.times[b][d.tools[0].name])
			fmt.Printf(" %.2f s, %.2f s, **%.2f** |", own.wall.Seconds(), own.cpu.Seconds(), float64(own.wall)/float64(first.wall))
		}
		fmt.Println()
	}
}

// medianUsage returns the median of each time.
func medianUsage(all []usage) usage {
	middle := func(of func(usage) time.Duration) time.Duration {
		var list []time.Duration
		for _, u := range all {
			list = append(list, of(u))
		}
		slices.SortFunc(list, cmp.Compare[time.Duration])
		return list[len(list)/2]
	}
	return usage{middle(func(u usage) time.Duration { return u.wall }), middle(func(u usage) time.Duration { return u.cpu })}
}

// git runs a Git command in a directory.
func git(ctx context.Context, dir string, args ...string) error {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=workday", "-c", "user.email=workday@example.com", "-c", "gc.auto=0"}, args...)...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}
