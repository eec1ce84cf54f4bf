package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A cookCommand is the measured cook binary.
type cookCommand struct {
	bin string
	env []string
	run Runner
}

// verb returns a command that runs a verb of cook with arguments. Each tree has its own store,
// because files of different trees can have equal contents.
func (c *cookCommand) verb(t *Tree, argv ...string) Command {
	env := append(slices.Clone(c.env), "COOKCACHE="+filepath.Join(t.Root, "store"))
	return Command{Argv: append([]string{c.bin}, argv...), Dir: t.Root, Env: env}
}

// command returns a command that cooks the tree. If there are patterns after the flags, cook cooks
// only matching files.
func (c *cookCommand) command(t *Tree, flags ...string) Command {
	return c.verb(t, append([]string{"-dir", t.Assets(), "-out", t.Cooked()}, flags...)...)
}

// contestant returns a contestant that cooks the tree. It checks the number of assets found and the
// number cooked.
func (c *cookCommand) contestant(name string, t *Tree, files, cooked int, flags ...string) Contestant {
	return Contestant{Name: name, Command: c.command(t, flags...), Check: expect(files, cooked)}
}

// verified returns a contestant that runs cook verify on a cooked tree, without cooking a sample.
func (c *cookCommand) verified(name string, t *Tree) Contestant {
	command := c.verb(t, "verify", "-dir", t.Assets(), "-out", t.Cooked(), "-sample", "0")
	return Contestant{Name: name, Command: command, Check: func(r Result) error {
		line := lastLine(r.Stdout)
		if !strings.HasPrefix(line, fmt.Sprintf("cook: verified %d outputs (", t.Files)) || !strings.Contains(line, ": 0 differences in ") {
			return fmt.Errorf("want %d outputs without differences: %q", t.Files, line)
		}
		return nil
	}}
}

// fill makes a tree and cooks it.
func (c *cookCommand) fill(ctx context.Context, t *Tree) error {
	if err := t.Make(ctx); err != nil {
		return err
	}
	if _, err := checked(ctx, c.run, c.command(t), expect(t.Files, t.Files)); err != nil {
		return fmt.Errorf("fill the tree: %w", err)
	}
	return nil
}

// rest cooks a filled tree repeatedly, until one run trusts all stamps. Before each run, it waits
// until the stamps are old enough.
func (c *cookCommand) rest(ctx context.Context, t *Tree) (err error) {
	for range restTries {
		if err := settle(ctx); err != nil {
			return err
		}
		if _, err := checked(ctx, c.run, c.command(t), expect(t.Files, 0)); err != nil {
			return fmt.Errorf("settle the tree: %w", err)
		}
		var r Result
		if r, err = checked(ctx, c.run, c.command(t, "-stats"), expect(t.Files, 0)); err != nil {
			return fmt.Errorf("settle the tree: %w", err)
		}
		if err = byStamp(t.Files)(r); err == nil {
			return nil
		}
	}
	return fmt.Errorf("settle the tree: %w", err)
}

const restTries = 5

var summary = regexp.MustCompile(`^cook: (\d+) assets?:?(?: (\d+) up to date,?)?(?: (\d+) unchanged,?)?(?: (\d+) restored,?)?(?: (\d+) cooked,?)?(?: (\d+) failed)? in `)

// expect checks the summary line of a cook.
func expect(files, cooked int) func(Result) error { return outcomes(files, 0, cooked) }

// outcomes checks the summary line of a cook that restores some assets from the store.
func outcomes(files, restored, cooked int) func(Result) error {
	return func(r Result) error {
		line := lastLine(r.Stdout)
		m := summary.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("last line is not a summary: %q", line)
		}
		want := []int{files, files - restored - cooked, 0, restored, cooked, 0}
		for i, w := range want {
			if n, _ := strconv.Atoi(m[i+1]); n != w { // The summary omits a number that is 0.
				return fmt.Errorf("want %d assets, %d of them cooked, %d restored and the others up to date: %s", files, cooked, restored, line)
			}
		}
		return nil
	}
}

var stamped = regexp.MustCompile(`(?m)^ *up to date by stamp +(\d+) `)

// byStamp uses the counters of a run to check that cook opened no file.
func byStamp(files int) func(Result) error {
	return func(r Result) error {
		m := stamped.FindStringSubmatch(r.Stdout)
		if m == nil {
			return errors.New("-stats prints no line \"up to date by stamp\"")
		}
		if m[1] != strconv.Itoa(files) {
			return fmt.Errorf("%s of %d assets are up to date by stamp", m[1], files)
		}
		return nil
	}
}

// hasFlag reports whether the cook binary has the flag.
func (c *cookCommand) hasFlag(ctx context.Context, flag string) (bool, error) {
	r, err := c.run(ctx, Command{Argv: []string{c.bin, "help"}, Env: c.env})
	if err != nil {
		return false, err
	}
	return regexp.MustCompile(`(?m)^\s+-` + regexp.QuoteMeta(flag) + `\b`).MatchString(r.Stdout), nil
}

// why returns a contestant that runs cook why for one asset that is up to date.
func (c *cookCommand) why(t *Tree) Contestant {
	return c.whyOf(t, t.Path(t.Files/2))
}

func (c *cookCommand) whyOf(t *Tree, path string) Contestant {
	command := c.verb(t, "why", "-dir", t.Assets(), "-out", t.Cooked(), path)
	return Contestant{Name: "cook why", Command: command, Check: func(r Result) error {
		if !strings.HasPrefix(r.Stdout, path+"\n") || !strings.Contains(r.Stdout, "  now:      up to date\n") {
			return fmt.Errorf("did not explain that %s is up to date: %q", path, r.Stdout)
		}
		return nil
	}}
}

func (b *bench) question(t *Tree) Row {
	return Row{Reference: oneLine, WarmUp: 1, Contestants: []Contestant{b.cmd.why(t), b.limits.hello()}}
}

// asJSON returns a row that compares cook -json, which prints a line for each asset, with cook
// -json -q, which prints only the summary.
func (b *bench) asJSON(ctx context.Context, t *Tree) (Row, error) {
	all := b.cmd.contestant("cook -json", t, t.Files, 0, "-json")
	all.Check = both(jsonSummary(t.Files), says(`{"event":"up_to_date","path":"`))
	quiet := b.cmd.contestant("cook -json -q", t, t.Files, 0, "-json", "-q")
	quiet.Check = jsonSummary(t.Files)
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{all, quiet}, limits...)}, err
}

// jsonSummary checks that the last line is a summary of a run that opened no file.
func jsonSummary(files int) func(Result) error {
	return func(r Result) error {
		line := lastLine(r.Stdout)
		if !strings.HasPrefix(line, fmt.Sprintf(`{"event":"summary","summary":{"found":{"assets":%d,`, files)) ||
			!strings.Contains(line, fmt.Sprintf(`"up_to_date_by_stamp":{"assets":%d,`, files)) {
			return fmt.Errorf("last line is not the summary of %d assets that are up to date by stamp: %q", files, line)
		}
		return nil
	}
}

// oneFolder returns a row that cooks only the files that match one pattern.
func (b *bench) oneFolder(ctx context.Context, t *Tree) (Row, error) {
	middle := t.Folders() / 2
	first, end := t.In(middle)
	pattern := b.cmd.contestant("cook 'one/folder/*'", t, end-first, 0, t.Folder(middle)+"/*")
	whole := b.cmd.contestant(cookName, t, t.Files, 0)
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{pattern, whole}, limits...)}, err
}

// configured returns a contestant that cooks after a change of the rules. Before each round, it
// replaces the rules, and waits until cook can trust all stamps.
func (b *bench) configured(c Contestant, t *Tree, rules func(round int) string) Contestant {
	c.Prepare = func(ctx context.Context, round int) error {
		if err := t.Configure(rules(round)); err != nil {
			return err
		}
		return settle(ctx)
	}
	return c
}

// comment returns a row that adds a comment to the rules. No output depends on the comment.
func (b *bench) comment(ctx context.Context, t *Tree) (Row, error) {
	if err := b.cmd.rest(ctx, t); err != nil {
		return Row{}, err
	}
	c := b.configured(b.cmd.contestant("cook, comment added", t, t.Files, 0), t, func(round int) string {
		return config + strings.Repeat("# one more line\n", round+1)
	})
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

// rule returns a row that edits an option of ten assets. The limit programs visit only the sources,
// because the number of output files varies.
func (b *bench) rule(ctx context.Context, t *Tree) (Row, error) {
	files := min(10, t.Files)
	edited := b.cmd.contestant("cook, rule edited", t, t.Files, files)
	cooked, known := edited.Check, outcomes(t.Files, files, 0)
	levels := 0 // number of compression levels used so far; results of a used level would be restored
	edited.Check = func(r Result) error {
		if levels > zstdLevels {
			return known(r)
		}
		return cooked(r)
	}
	edited = b.configured(edited, t, func(int) string {
		level := levels%zstdLevels + 1
		levels++
		return config + fmt.Sprintf("\n[[rule]]\nmatch = \"/%s/asset000000[0-9].dat\"\nrecipe = \"zstd\"\nlevel = %d\n", t.Folder(0), level)
	})
	limits, err := b.limits.stat(ctx, t, t.Assets())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{edited}, limits...)}, err
}

// zstdLevels is the highest compression level of the recipe.
const zstdLevels = 19
