package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/texttable"
)

// Memory limits of -stats for all keys together, and for the bins of one function.
const (
	maxKeyBytes = 1 << 30
	maxKeys     = 1 << 26
	maxBins     = 1 << 28
)

// A spreader is a hash function under test.
type spreader struct {
	name   string
	sum    func(key []byte) uint64
	digits int // number of hex digits in a sum
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
		c.printFailure(fmt.Errorf("-stats: no keys found: %s has no %s", listedFiles(c.files), c.keys.containerOfKeys()))
		return
	}
	bins := c.bins
	if bins == 0 {
		bins = 1 << bits.Len(uint(len(keys.list)-1))
	}
	if c.bin >= bins {
		c.printFailure(fmt.Errorf("-bin %d: want 0 to %d", c.bin, bins-1))
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
			c.out.writeLine(fmt.Appendf(nil, "%d keys (and %d duplicates) in %d bins; random sums leave %.1f bins empty",
				d.keys, d.duplicates, d.bins, d.expectedEmptyBins()), '\n')
			table.Row("function", "empty", "longest", fmt.Sprintf("chi-squared/%d", d.freedom()), "p",
				fmt.Sprintf("collide at 32 bits (random %.2g)", d.expectedCollisions(32)), "at 64", "verdict")
		}
		at64 := "-"
		if f.digits > 8 {
			at64 = fmt.Sprint(d.collisions64)
		}
		table.Row(f.name, d.emptyBins(), d.longestChain(), fmt.Sprintf("%.4g", d.chiSquared()/max(1, float64(d.freedom()))),
			fmt.Sprintf("%.3g", d.probability()), d.collisions32, at64, verdictOn(d))
		c.writeChains(&chains, f, d, keys.list)
	}
	table.Flush()
	b.Write(chains.Bytes())
	for line := range bytes.Lines(b.Bytes()) {
		c.out.writeLine(bytes.TrimRight(line, " \n"), '\n')
	}
}

// spreaders returns the functions of -a. If the keys came with sums, it returns one spreader for
// these sums.
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
	fmt.Fprintf(w, "\n%s: bins by number of keys: ", f.name)
	separator := ""
	for n, bins := range d.chains {
		if bins > 0 {
			fmt.Fprintf(w, "%s%d with %d", separator, bins, n)
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
			fmt.Fprintf(w, "    %0*x  %s\n", f.digits, f.sum([]byte(key)), c.keys.printableKey(key))
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

// verdictOn describes in words whether the bins look random.
func verdictOn(d distribution) string {
	switch {
	case d.keys < 50 || d.bins > 100*d.keys:
		return "too few keys to tell"
	case d.probability() < 0.001:
		return "uneven"
	case d.probability() > 0.999:
		return "more even than random sums"
	}
	return "as random"
}

func listedFiles(names []string) string {
	if len(names) == 1 {
		if names[0] == stdinName {
			return "standard input"
		}
		return quoteForTerminal(names[0])
	}
	return "any of the files"
}

// A keyForm is the form of the keys of -stats. The zero value is one key on each line.
type keyForm struct {
	hex  bool // each line is a key in hex digits
	sums bool // each line is a key's sum in hex digits, a space and the key
	size int  // number of bytes per key, if keys have no separators
}

// maxKeySize limits the key size that -keys accepts, in bytes.
const maxKeySize = maxLine

func (f *keyForm) Set(text string) error {
	switch size, err := strconv.Atoi(text); {
	case text == "lines":
		*f = keyForm{}
	case text == "hex":
		*f = keyForm{hex: true}
	case text == "sums":
		*f = keyForm{sums: true}
	case err == nil && 0 < size && size <= maxKeySize:
		*f = keyForm{size: size}
	default:
		return fmt.Errorf("want lines, hex, sums, or the bytes of a key, 1 to %d", maxKeySize)
	}
	return nil
}

func (f *keyForm) String() string {
	switch {
	case f.size > 0:
		return strconv.Itoa(f.size)
	case f.hex:
		return "hex"
	case f.sums:
		return "sums"
	}
	return ""
}

// containerOfKeys returns "bytes" or "lines", the unit of the input in messages.
func (f *keyForm) containerOfKeys() string {
	if f.size > 0 {
		return "bytes"
	}
	return "lines"
}

// printableKey formats a key for a message. Binary keys become hex digits. Text is quoted if it
// could disturb a terminal.
func (f *keyForm) printableKey(key string) string {
	if f.hex || f.size > 0 {
		return hex.EncodeToString([]byte(key))
	}
	if quoted := strconv.QuoteToGraphic(key); !utf8.ValidString(key) || quoted[1:len(quoted)-1] != key {
		return quoted
	}
	return key
}

// A keyList holds the keys of all files.
type keyList struct {
	list   []string
	bytes  int
	sums   map[string]uint64 // low 64 bits of the keys' sums; only with -keys sums
	digits int               // number of digits in the longest sum, at most 16
}

// addKey adds a key, or returns an error if a memory limit is reached.
func (k *keyList) addKey(key []byte) error {
	if k.bytes += len(key); k.bytes > maxKeyBytes || len(k.list) == maxKeys {
		return fmt.Errorf("too many keys: the limits are %d keys and %d MiB; use fewer keys", maxKeys, maxKeyBytes>>20)
	}
	k.list = append(k.list, string(key))
	return nil
}

// addKeyWithSum adds the key of a line that consists of a sum, a space and a key.
func (k *keyList) addKeyWithSum(line []byte) error {
	digits, key, found := bytes.Cut(line, []byte(" "))
	if !found || len(digits) == 0 || len(bytes.Trim(digits, "0123456789abcdefABCDEF")) > 0 {
		return errors.New("want a sum in hex digits, a space and a key")
	}
	low := string(digits[max(0, len(digits)-16):])
	sum, err := strconv.ParseUint(low, 16, 64)
	if err != nil {
		return err
	}
	if k.sums == nil {
		k.sums = map[string]uint64{}
	}
	if before, again := k.sums[string(key)]; again && before != sum {
		return fmt.Errorf("the key %q has two different sums: %x in this line and %x in an earlier line", key, sum, before)
	}
	k.sums[string(key)] = sum
	k.digits = max(k.digits, len(low))
	return k.addKey(key)
}

// readKeys adds the keys in a file.
func (c *command) readKeys(ctx context.Context, keys *keyList, name string) error {
	r := io.Reader(countedReader{c.stdin, c.progress})
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		r = countedReader{f, c.progress}
	}
	if c.keys.size > 0 {
		return c.readFixedKeys(ctx, keys, name, r)
	}
	end := c.layout.lineEnd()
	for lines := newLines(r, end); ctx.Err() == nil; {
		line, err := lines.readNextLine()
		if err == io.EOF {
			break
		}
		if err == errTooLong {
			return fmt.Errorf("%s: line %d is %w", quoteForTerminal(name), lines.number, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", quoteForTerminal(name), err)
		}
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		switch {
		case c.keys.hex:
			key, wrong := hex.DecodeString(strings.TrimSpace(string(line)))
			if err = wrong; err == nil {
				err = keys.addKey(key)
			}
		case c.keys.sums:
			err = keys.addKeyWithSum(line)
		default:
			err = keys.addKey(line)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", quoteForTerminal(name), lines.number, err)
		}
	}
	return nil
}

// readFixedKeys adds the keys of a file that holds keys of a fixed size without separators.
func (c *command) readFixedKeys(ctx context.Context, keys *keyList, name string, r io.Reader) error {
	r = bufio.NewReaderSize(r, maxKeySize)
	record := make([]byte, c.keys.size)
	for number := 1; ctx.Err() == nil; number++ {
		n, err := io.ReadFull(r, record)
		if err == io.EOF {
			break
		}
		if err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%s: the last key, number %d, has %d bytes; want %d, the size in -keys", quoteForTerminal(name), number, n, c.keys.size)
		}
		if err == nil {
			err = keys.addKey(record)
		}
		if err != nil {
			return fmt.Errorf("%s: key %d: %w", quoteForTerminal(name), number, err)
		}
	}
	return nil
}
