package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/assetcook/assetcook/internal/texttable"
)

// Limits of the memory of -stats: for the keys and, for each function, the bins.
const (
	maxKeyBytes = 1 << 30
	maxKeys     = 1 << 26
	maxBins     = 1 << 28
)

// A spreader is a function under test.
type spreader struct {
	name   string
	sum    func(key []byte) uint64
	digits int // hex digits of a sum
}

// printStats prints how the functions spread the keys in the files over bins.
func (c *command) printStats(ctx context.Context) {
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
		c.fail(fmt.Errorf("-stats: no keys: %s has no %s", listedFiles(c.files), c.keys.content()))
		return
	}
	bins := c.bins
	if bins == 0 {
		bins = 1 << bits.Len(uint(len(keys.list)-1))
	}
	if c.bin >= bins {
		c.fail(fmt.Errorf("-bin %d: the last of %d bins is %d", c.bin, bins, bins-1))
		return
	}
	var b, chains bytes.Buffer
	table := texttable.New(&b, texttable.Right)
	for i, f := range c.spreaders(&keys) {
		if ctx.Err() != nil {
			return
		}
		d := spreadKeys(f.sum, keys.list, bins)
		if i == 0 {
			c.out.line(fmt.Appendf(nil, "%d keys (and %d duplicates) in %d bins; random sums leave %.1f bins empty",
				d.keys, d.duplicates, d.bins, d.expectedEmptyBins()), '\n')
			table.Row("function", "empty", "longest", fmt.Sprintf("chi-squared/%d", d.freedom()), "p",
				fmt.Sprintf("collide at 32 bits (random %.2g)", d.expectedCollisions(32)), "at 64", "verdict")
		}
		at64 := "-"
		if f.digits > 8 {
			at64 = fmt.Sprint(d.collisions64)
		}
		table.Row(f.name, d.emptyBins(), d.longestChain(), fmt.Sprintf("%.4g", d.chiSquared()/max(1, float64(d.freedom()))),
			fmt.Sprintf("%.3g", d.probability()), d.collisions32, at64, verdict(d))
		c.writeChains(&chains, f, d, keys.list)
	}
	table.Flush()
	b.Write(chains.Bytes())
	for line := range bytes.Lines(b.Bytes()) {
		c.out.line(bytes.TrimRight(line, " \n"), '\n')
	}
}

// spreaders returns the functions of -a, or the function whose sums came with the keys.
func (c *command) spreaders(keys *keyList) (all []spreader) {
	if c.keys.sums {
		return []spreader{{"sums", func(key []byte) uint64 { return keys.sums[string(key)] }, keys.digits}}
	}
	for _, f := range c.fns {
		all = append(all, spreader{f.Name, f.Sum64, min(16, 2*f.Size)})
	}
	return all
}

// writeChains writes the lengths of all chains, and the keys in the bins selected by -chains and
// -bin.
func (c *command) writeChains(w io.Writer, f spreader, d distribution, keys []string) {
	if c.chains == 0 && c.bin < 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: bins by the length of their chains: ", f.name)
	separator := ""
	for n, bins := range d.chains {
		if bins > 0 {
			fmt.Fprintf(w, "%s%d of %d", separator, bins, n)
			separator = ", "
		}
	}
	fmt.Fprintln(w)
	shown := fullestBins(d, c.chains)
	if c.bin >= 0 {
		shown = append(shown, c.bin)
	}
	for i, chain := range keysInBins(f.sum, keys, d.bins, shown...) {
		fmt.Fprintf(w, "  bin %d (%#x), a chain of %d\n", shown[i], shown[i], len(chain))
		for _, key := range chain {
			fmt.Fprintf(w, "    %0*x  %s\n", f.digits, f.sum([]byte(key)), c.keys.printable(key))
		}
	}
}

// fullestBins returns up to n nonempty bins, the fullest first.
func fullestBins(d distribution, n int) (bins []int) {
	if n == 0 {
		return nil
	}
	for bin, count := range d.counts {
		if count > 0 {
			bins = append(bins, bin)
		}
	}
	slices.SortStableFunc(bins, func(a, b int) int { return d.counts[b] - d.counts[a] })
	return bins[:min(n, len(bins))]
}

// verdict says whether the bins look random.
func verdict(d distribution) string {
	switch {
	case d.keys < 50 || d.bins > 100*d.keys:
		return "too few keys to tell"
	case d.probability() < 0.001:
		return "uneven"
	case d.probability() > 0.999:
		return "more even than random"
	}
	return "as random"
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
