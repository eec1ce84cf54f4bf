package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// poolFiles is the number of real files behind the assets of a simulation.
const poolFiles = 1000

const simulation = `The index is that of %s assets, made from that of %s by cook/internal/index/multiply with the index's own writer: each directory is known under %s names. So cook maps, walks and compares as many rows as for a tree of that size, opens as many directories and makes as many stat calls, and all succeed; but the calls meet %s inodes, which the kernel has at hand. A tree would cost more of the kernel's time and memory. The limits make the same calls.`

// simulated measures an index with a number of assets that is a multiple of poolFiles.
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
	folder := filepath.Dir(t.Folder(0)) // contains all others
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
