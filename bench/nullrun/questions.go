package main

import (
	"context"
	"fmt"
	"strings"
)

// why returns a question about one up-to-date asset.
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

// asJSON prints a line for each asset, and with -q only the summary.
func (b *bench) asJSON(ctx context.Context, t *Tree) (Row, error) {
	all := b.cmd.contestant("cook -json", t, t.Files, 0, "-json")
	all.Check = both(jsonSummary(t.Files), says(`{"event":"up_to_date","path":"`))
	quiet := b.cmd.contestant("cook -json -q", t, t.Files, 0, "-json", "-q")
	quiet.Check = jsonSummary(t.Files)
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{all, quiet}, limits...)}, err
}

// jsonSummary checks that the last line is the summary of a cook that opened no file.
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

// oneFolder cooks the files of one pattern.
func (b *bench) oneFolder(ctx context.Context, t *Tree) (Row, error) {
	middle := t.Folders() / 2
	first, end := t.In(middle)
	pattern := b.cmd.contestant("cook 'one/folder/*'", t, end-first, 0, t.Folder(middle)+"/*")
	whole := b.cmd.contestant(cookName, t, t.Files, 0)
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{pattern, whole}, limits...)}, err
}
