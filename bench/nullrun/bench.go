package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A bench holds the state of one run of this command.
type bench struct {
	settings
	dir       string // absolute path of a new directory for all files of the run
	run       Runner
	cmd       *cookCommand
	limits    *limits
	peerTools []*peerTool
	log       io.Writer
}

// measure sets everything up, runs all rows and cleans up.
func measure(ctx context.Context, s settings, log io.Writer) (*Report, error) {
	work, err := os.MkdirTemp(s.work, "nullrun-")
	if err != nil {
		return nil, err
	}
	b := &bench{settings: s, log: log}
	if s.keep {
		fmt.Fprintf(log, "trees are kept in %s\n", work)
	}
	defer func() { b.remove(work) }()
	if work, err = filepath.Abs(work); err != nil {
		return nil, err
	}
	if b.dir, err = filepath.EvalSymlinks(work); err != nil {
		return nil, err
	}
	starter, err := newStarter(b.dir)
	if err != nil {
		return nil, err
	}
	defer starter.Close()
	b.run = starter.Run
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	report := &Report{Machine: b.facts(ctx)}
	if b.simulate > 0 {
		section, err := b.simulated(ctx, b.simulate)
		report.Sections = append(report.Sections, section)
		return report, err
	}
	whole := Section{Title: "Without a tree of small files"}
	if err := b.hold(ctx, &whole, []plan{{"start-up", b.start}, {"all verified", b.verify}}); err != nil {
		return nil, err
	}
	report.Sections = append(report.Sections, whole)
	for _, files := range s.files {
		section, err := b.tree(ctx, files)
		if err != nil {
			return nil, err
		}
		report.Sections = append(report.Sections, section)
	}
	return report, nil
}

// build builds cook and the limit programs, and looks for the peers.
func (b *bench) build(ctx context.Context) error {
	fmt.Fprintln(b.log, "building")
	bin, err := filepath.Join(b.dir, "cook"), error(nil)
	if b.cook != "" {
		bin, err = filepath.Abs(b.cook)
	} else {
		err = buildCook(ctx, bin)
	}
	if err != nil {
		return err
	}
	// The environment is minimal, so that the user's configuration does not affect the measured
	// programs.
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TMPDIR=" + b.dir, "LC_ALL=C"}
	b.cmd = &cookCommand{bin: bin, env: env, run: b.run}
	dir := filepath.Join(b.dir, "limits")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if b.limits, err = buildLimits(ctx, dir, b.threads); err != nil {
		return err
	}
	b.peerTools, err = findPeers(ctx, b.run, env)
	return err
}

// tree runs the rows for one tree size.
func (b *bench) tree(ctx context.Context, files int) (Section, error) {
	section := Section{Title: thousands(files) + " files", Files: files}
	own := plan{"all contents read", func(ctx context.Context) (Row, error) { return b.contents(ctx, files) }}
	if err := b.hold(ctx, &section, []plan{own}); err != nil {
		return section, err
	}
	t := newTree(filepath.Join(b.dir, "tree"+strconv.Itoa(files)), files)
	plans := b.treeRows(t)
	if !slices.ContainsFunc(plans, b.wanted) {
		return section, nil
	}
	fmt.Fprintf(b.log, "%s: making the tree\n", section.Title)
	if err := b.cmd.fill(ctx, t); err != nil {
		return section, err
	}
	if err := b.cmd.rest(ctx, t); err != nil {
		return section, err
	}
	defer b.remove(t.Root)
	note, err := stateNote(t)
	if err != nil {
		return section, err
	}
	section.Notes = append(section.Notes, note)
	return section, b.hold(ctx, &section, plans)
}

func (b *bench) wanted(p plan) bool { return b.rows.matches(p.name) }

// hold measures the selected rows. It returns an error only if ctx ends; other errors are in the
// report.
func (b *bench) hold(ctx context.Context, section *Section, plans []plan) error {
	for _, p := range plans {
		if !b.wanted(p) {
			continue
		}
		fmt.Fprintf(b.log, "%s: %s\n", section.Title, p.name)
		row, err := p.make(ctx)
		row.Name = p.name
		outcome := Outcome{Row: p.name, Err: err}
		if err == nil {
			outcome = row.Hold(ctx, b.run, Rounds{Most: b.runs, Within: b.within})
		}
		if row.Close != nil {
			row.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var out errSkipped
		if errors.As(err, &out) {
			section.Notes = append(section.Notes, fmt.Sprintf("*%s* is left out: %v.", p.name, out))
			continue
		}
		if outcome.Err != nil {
			fmt.Fprintf(b.log, "%s: %s: %v\n", section.Title, p.name, outcome.Err)
		} else if outcome.Rounds < b.runs {
			section.Notes = append(section.Notes, fmt.Sprintf("*%s*: %d rounds, because of `-within`.", p.name, outcome.Rounds))
		}
		section.Rows = append(section.Rows, outcome)
	}
	return nil
}

// remove removes a directory unless -keep is set. It retries, because a process that has just ended
// may still be writing to the directory.
func (b *bench) remove(dir string) {
	if b.keep {
		return
	}
	var err error
	for range 10 {
		if err = os.RemoveAll(dir); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Fprintf(b.log, "remove %s: %v\n", dir, err)
}

// poolFiles is the number of real files in a simulation. Each represents many assets.
const poolFiles = 1000

const simulation = `The index is that of %s assets, made from that of %s by cook/internal/index/multiply with the index's own writer: each directory is known under %s names. So cook maps, walks and compares as many rows as for a tree of that size, opens as many directories and makes as many stat calls, and all succeed; but the calls meet %s inodes, which the kernel has at hand. A tree would cost more of the kernel's time and memory. The limits make the same calls.`

// simulated measures an index with n assets. The number n is a multiple of poolFiles.
func (b *bench) simulated(ctx context.Context, assets int) (Section, error) {
	section := Section{Title: thousands(assets) + " assets, simulated"}
	times := assets / poolFiles
	t := newTree(filepath.Join(b.dir, "pool"), poolFiles)
	defer b.remove(t.Root)
	if err := b.cmd.fill(ctx, t); err != nil {
		return section, err
	}
	if err := b.cmd.rest(ctx, t); err != nil {
		return section, err
	}
	folder := filepath.Dir(t.Folder(0)) // directory that contains all directories of assets
	for k := 1; k < times; k++ {
		if err := os.Symlink(folder, filepath.Join(t.Cooked(), fmt.Sprintf("%s-%07d", folder, k))); err != nil {
			return section, err
		}
	}
	fmt.Fprintf(b.log, "%s: making the index\n", section.Title)
	multiply := filepath.Join(b.dir, "multiply")
	if err := tool(ctx, "", "go", "build", "-o", multiply, modulePath+"cook/internal/index/multiply"); err != nil {
		return section, err
	}
	made, err := checked(ctx, b.run, Command{Argv: []string{multiply, t.Cooked(), folder, strconv.Itoa(times - 1)}, Dir: t.Root, Env: b.cmd.env}, silent)
	if err != nil {
		return section, fmt.Errorf("multiply: %w", err)
	}
	info, err := os.Stat(t.State("index"))
	if err != nil {
		return section, err
	}
	section.Notes = append(section.Notes,
		fmt.Sprintf(simulation, thousands(assets), thousands(poolFiles), thousands(times), thousands(2*poolFiles)),
		fmt.Sprintf("The index has %s, %s bytes for each asset. To make it took %s, of one core or more, and %s of memory, %s bytes for each asset.",
			mebibytes(info.Size()), digits(float64(info.Size())/float64(assets)),
			duration(made.Wall), mebibytes(made.MaxRSS), digits(float64(made.MaxRSS)/float64(assets))))
	return section, b.hold(ctx, &section, []plan{
		{"why", func(context.Context) (Row, error) { return b.question(t), nil }},
		{"nothing changed", func(ctx context.Context) (Row, error) {
			quiet := b.cmd.contestant("cook -json -q", t, assets, 0, "-json", "-q")
			quiet.Check = jsonSummary(assets)
			limits, err := b.limits.statAgain(ctx, t, times, t.Assets(), t.Cooked())
			return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{b.cmd.contestant(cookName, t, assets, 0), quiet}, limits...)}, err
		}},
	})
}
