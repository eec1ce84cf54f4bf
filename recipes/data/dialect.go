package data

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// A dialect is a table's text in UTF-8 with LF line endings, and its cell separator.
type dialect struct {
	text      []byte
	separator byte
	skipped   int // number of lines before text
}

// separators are the cell separators that programs use, in the order of preference in messages.
var separators = []byte{',', ';', '\t', '|'}

// excelSeparator matches a first line that tells Excel the separator.
var excelSeparator = lazyregexp.New(`^"?(?i:sep)=(.)"?[\r\n]`)

// findDialect finds the separator of a table. If several separators are plausible, it returns an
// error that names the option to set.
func (o *dataOptions) findDialect(ctx context.Context, source []byte, tabs bool) (dialect, error) {
	text, err := decodeTable(ctx, source)
	if err != nil {
		return dialect{}, err
	}
	d := dialect{text: text}
	told := byte(0)
	if m := excelSeparator().FindSubmatch(text); m != nil && slices.Contains(separators, m[1][0]) {
		told = m[1][0]
	}
	set := strings.TrimPrefix(o.Separator, "auto")
	literal := tabs && (set == "\t" || set == "" && told == 0) // quotes are ordinary characters in such a table
	d.text = unifyLineEnds(text, !literal)
	skip := o.SkipLines
	if told != 0 {
		skip = max(skip, 1)
	}
	for ; skip > 0; skip-- {
		_, rest, found := bytes.Cut(d.text, []byte{'\n'})
		if !found {
			return d, fmt.Errorf("skip_lines = %d skips the whole table; lower it", o.SkipLines)
		}
		d.text = rest
		d.skipped++
	}
	switch {
	case set != "":
		d.separator = set[0]
	case told != 0:
		d.separator = told
	case tabs:
		d.separator = '\t'
		err = d.checkTabs()
	default:
		d.separator, err = d.detectSeparator()
	}
	return d, err
}

// decodeTable returns a table as UTF-8. Spreadsheets write UTF-16 as "Unicode text".
func decodeTable(ctx context.Context, source []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(source, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(source, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		if err := plaintext.CheckUTF8(source); err != nil {
			return nil, fmt.Errorf(`%w; save the table as UTF-8 ("CSV UTF-8" in spreadsheets)`, err)
		}
		if i := bytes.IndexByte(source, 0); i >= 0 {
			return nil, plaintext.Errorf(source, i, `the table has a zero byte and may be UTF-16 without a byte order mark; save it as UTF-8 ("CSV UTF-8" in spreadsheets)`)
		}
		return source, nil
	}
	out, err := plaintext.FromUTF16(ctx, source[2:], order)
	if err != nil {
		return nil, fmt.Errorf("%w; save the table as UTF-8", err)
	}
	if i := bytes.IndexByte(out, 0); i >= 0 {
		return nil, plaintext.Errorf(out, i, "the table has a zero byte")
	}
	return out, nil
}

// unifyLineEnds replaces single CRs with LF. Old programs write CR as a line ending, and outside
// quotes it has no other meaning. If the table also has other line endings, a CR within quotes is
// kept. CRLF line endings are kept.
func unifyLineEnds(text []byte, quotes bool) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	lone := func(i int) bool { return text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') }
	outside, feeds, quoted := 0, 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = quotes && !quoted
		case quoted:
		case lone(i):
			outside++
		case c == '\n':
			feeds++
		}
	}
	if outside == 0 {
		return text
	}
	out := bytes.Clone(text)
	quoted = false
	for i, c := range text {
		if c == '"' {
			quoted = quotes && !quoted
		}
		if lone(i) && (!quoted || feeds == 0) {
			out[i] = '\n'
		}
	}
	return out
}

// looked is the number of rows that are examined to find the separator.
const looked = 1000

// countCells splits the first rows at the given separator, and returns the number of cells in each
// row.
func (d dialect) countCells(separator byte) (counts []int) {
	n, quoted, start, empty := 1, false, true, true
	end := func() {
		if !empty {
			counts = append(counts, n)
		}
		n, start, empty = 1, true, true
	}
	for _, c := range d.text {
		switch {
		case c == '"' && (quoted || start):
			quoted, start, empty = !quoted, false, false
		case quoted:
		case c == '\n':
			if end(); len(counts) == looked {
				return counts
			}
		case c == '\r':
		case c == separator:
			n, start, empty = n+1, true, false
		default:
			start, empty = c == '"', false
		}
	}
	end()
	return counts
}

// detectSeparator finds the separator of a table whose separator is not declared.
func (d dialect) detectSeparator() (byte, error) {
	var fits []byte
	columns := map[byte][]int{}
	for _, s := range separators {
		counts := d.countCells(s)
		columns[s] = counts
		if len(counts) > 0 && counts[0] > 1 && !slices.ContainsFunc(counts, func(n int) bool { return n != counts[0] }) {
			fits = append(fits, s)
		}
	}
	switch {
	case len(fits) == 1 && (fits[0] == ',' || columns[','][0] == 1):
		return fits[0], nil
	case len(fits) > 1:
		return 0, d.dialectErrorf("the rows have %d columns between %s and %d between %s; set %s or %s",
			columns[fits[0]][0], separatorName(fits[0]), columns[fits[1]][0], separatorName(fits[1]), separatorOption(fits[0]), separatorOption(fits[1]))
	}
	for _, s := range separators {
		counts := columns[s]
		switch {
		case len(counts) == 0:
		case s != ',' && counts[0] > 1 && (columns[','][0] == 1 || len(fits) == 1):
			return 0, d.dialectErrorf("the first row has %d cells between %s; set %s if they are cells, or %s", counts[0], separatorName(s), separatorOption(s), separatorOption(','))
		case counts[0] == 1 && len(counts) > 2 && counts[1] > 1 && !slices.ContainsFunc(counts[1:], func(n int) bool { return n != counts[1] }):
			return 0, d.dialectErrorf("the first row has one cell, the others %d between %s; set skip_lines to the number of lines before the header%s", counts[1], separatorName(s), orOneColumn(s))
		}
	}
	return ',', nil
}

func orOneColumn(separator byte) string {
	if separator == ',' {
		return ""
	}
	return ", or " + separatorOption(',') + " if each row is one cell"
}

// checkTabs refuses a .tsv table that has no tabs but another separator.
func (d dialect) checkTabs() error {
	tabs := d.countCells('\t')
	if len(tabs) == 0 || tabs[0] > 1 {
		return nil
	}
	for _, s := range separators {
		counts := d.countCells(s)
		if counts[0] > 1 && !slices.ContainsFunc(counts, func(n int) bool { return n != counts[0] }) {
			return d.dialectErrorf("the rows have no tabs, but %d columns between %s; set %s, or %s if each row is one cell", counts[0], separatorName(s), separatorOption(s), separatorOption('\t'))
		}
	}
	return nil
}

// dialectErrorf returns an error with the position of the table's first line.
func (d dialect) dialectErrorf(format string, args ...any) error {
	return fmt.Errorf("%d:1: %s", d.skipped+1, fmt.Sprintf(format, args...))
}

func separatorName(s byte) string {
	return map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars"}[s]
}

func separatorOption(s byte) string { return "separator = " + strconv.Quote(string(s)) }
