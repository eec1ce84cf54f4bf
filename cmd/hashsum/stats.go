package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/assetcook/assetcook/hashing"
)

// What -stats holds in memory at most: the keys and, for each function, the bins.
const (
	maxKeyBytes = 1 << 30
	maxKeys     = 1 << 26
	maxBins     = 1 << 28
)

// stats prints how the functions spread the lines of the files over bins.
func (c *command) stats(ctx context.Context) {
	var keys keyList
	for _, name := range c.files {
		if ctx.Err() != nil {
			return
		}
		if err := c.readKeys(ctx, &keys, name); err != nil {
			c.failUnlessEnded(ctx, err)
			return
		}
	}
	if len(keys.list) == 0 {
		c.fail(fmt.Errorf("-stats: no keys: %s has no lines", listedFiles(c.files)))
		return
	}
	bins := c.bins
	if bins == 0 {
		bins = 1 << bits.Len(uint(len(keys.list)-1))
	}
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, fn := range c.fns {
		if ctx.Err() != nil {
			return
		}
		d := hashing.Distribute(fn.Func, slices.Values(keys.list), bins)
		if i == 0 {
			c.out.line(fmt.Appendf(nil, "%d keys (and %d duplicates) in %d bins; random sums leave %.1f bins empty",
				d.Keys, d.Duplicates, d.Bins, d.ExpectedEmpty()), '\n')
			fmt.Fprintf(table, "function\tempty\tlongest\tchi-squared/%d\tp\tcollide at 32 bits (random %.2g)\tat 64\tverdict\t\n",
				d.Freedom(), d.ExpectedCollisions(32))
		}
		at64 := "-"
		if fn.Size > 4 {
			at64 = fmt.Sprint(d.Collisions64)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%.4g\t%.3g\t%d\t%s\t%s\t\n", fn.Name, d.Empty(), d.Longest(),
			d.ChiSquared()/max(1, float64(d.Freedom())), d.P(), d.Collisions32, at64, verdict(d))
	}
	table.Flush()
	for line := range bytes.Lines(b.Bytes()) {
		c.out.line(bytes.TrimRight(line, " \n"), '\n')
	}
}

// verdict says whether the bins look like those of random sums.
func verdict(d hashing.Distribution) string {
	switch {
	case d.Keys < 50 || d.Bins > 100*d.Keys:
		return "too few keys to tell"
	case d.P() < 0.001:
		return "uneven"
	case d.P() > 0.999:
		return "more even than random"
	}
	return "as random"
}

// keyList is the lines that were read.
type keyList struct {
	list  []string
	bytes int
}

// readKeys adds the lines of a file.
func (c *command) readKeys(ctx context.Context, keys *keyList, name string) error {
	r := io.Reader(counted{c.stdin, c.progress})
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		r = counted{f, c.progress}
	}
	end := c.layout.end()
	for lines := newLines(r, end); ctx.Err() == nil; {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err == errTooLong {
			return fmt.Errorf("%s: line %d is %w", shown(name), lines.number, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", shown(name), err)
		}
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		if keys.bytes += len(line); keys.bytes > maxKeyBytes || len(keys.list) == maxKeys {
			return fmt.Errorf("%s: line %d: more than %d keys or %d MiB of them; give fewer", shown(name), lines.number, maxKeys, maxKeyBytes>>20)
		}
		keys.list = append(keys.list, string(line))
	}
	return nil
}

func listedFiles(names []string) string {
	if len(names) == 1 {
		if names[0] == stdinName {
			return "standard input"
		}
		return shown(names[0])
	}
	return "any of the files"
}
