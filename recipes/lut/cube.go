package lut

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// The size limits of the format.
const (
	minSize   = 2
	maxSize   = 256   // of LUT_3D_SIZE
	maxSingle = 65536 // of LUT_1D_SIZE
)

// maxHalf is the largest number of rgba16f.
const maxHalf = 65504

// isCube reports whether a file that begins with head is a table of colors: chemistry programs
// also write .cube files. An empty file counts as a table that lost its content.
func isCube(head []byte) bool {
	for line := range bytes.Lines(head) {
		for _, key := range []string{"LUT_", "TITLE", "DOMAIN_"} {
			if bytes.HasPrefix(bytes.TrimLeft(line, " \t\xef\xbb\xbf"), []byte(key)) {
				return true
			}
		}
	}
	return len(head) == 0
}

// A domain is the range of a table's input colors, for red, green and blue.
type domain struct{ min, max [3]float32 }

// unit is the default domain.
var unit = domain{max: [3]float32{1, 1, 1}}

// String returns "0 to 4", or a range per channel if they differ.
func (d domain) String() string {
	each := func(v [3]float32) string {
		if v[0] == v[1] && v[1] == v[2] {
			return strconv.FormatFloat(float64(v[0]), 'g', -1, 32)
		}
		return fmt.Sprint(v)
	}
	return each(d.min) + " to " + each(d.max)
}

// A cube is a .cube file that is being parsed.
type cube struct {
	text   []byte
	at     int // start of the current line
	size   int
	single bool
	domain domain
}

// parseCube parses a .cube file by the Cube LUT Specification 1.0 of Adobe, and the input ranges
// that DaVinci Resolve writes instead of a domain.
func parseCube(ctx context.Context, text []byte) (table, domain, error) {
	c := &cube{text: text, domain: unit}
	var t table
	entries := 0
	for n := 0; c.at < len(text); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return table{}, unit, ctx.Err()
		}
		line, next := text[c.at:], len(text)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], c.at+i+1
		}
		words := c.words(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case isNumber(words[0]):
			if t.Map == nil {
				var err error
				if t, err = c.table(); err != nil {
					return table{}, unit, err
				}
			}
			v, err := c.numbers(words, 3)
			if err != nil {
				return table{}, unit, err
			}
			if entries == t.W*t.H {
				return table{}, unit, c.errorf("more entries than the %d that %s asks for", entries, c.sizeKey())
			}
			copy(t.PixF[4*entries:], []float32{v[0], v[1], v[2], 1})
			entries++
		case t.Map != nil:
			return table{}, unit, c.errorf("%q amid the entries", words[0])
		default:
			if err := c.keyword(words); err != nil {
				return table{}, unit, err
			}
		}
		c.at = next
	}
	if t.Map == nil {
		return table{}, unit, c.errorf("no entries: this is not a .cube file, or it is cut short")
	}
	if want := t.W * t.H; entries < want {
		return table{}, unit, c.errorf("%d entries of %d: the file is cut short", entries, want)
	}
	return t, c.domain, nil
}

// Limits for a line: one word more than any valid line has, and the length of a word.
const (
	mostWords  = 5
	mostOfWord = 64
)

// words returns the words of a line. A word that is too long to be valid is cut, and marked so
// that it is not a number.
func (c *cube) words(line []byte) []string {
	var words []string
	for w := range bytes.FieldsSeq(bytes.TrimPrefix(line, []byte(plaintext.ByteOrderMark))) {
		if len(words) == mostWords {
			break
		}
		word := string(w[:min(len(w), mostOfWord)])
		if len(w) > mostOfWord {
			word += "..."
		}
		words = append(words, word)
	}
	return words
}

func (c *cube) errorf(format string, args ...any) error {
	return plaintext.Errorf(c.text, c.at, format, args...)
}

func (c *cube) sizeKey() string {
	if c.single {
		return "LUT_1D_SIZE"
	}
	return "LUT_3D_SIZE"
}

// table allocates the entries. It refuses a file that is too short for them.
func (c *cube) table() (table, error) {
	w, h := c.size, c.size*c.size
	if c.single {
		h = 1
	}
	switch least := 6 * w * h; {
	case c.size == 0:
		return table{}, c.errorf("an entry before LUT_3D_SIZE or LUT_1D_SIZE")
	case least-1 > len(c.text)-c.at:
		return table{}, c.errorf("the file is cut short: %s %d asks for %d entries", c.sizeKey(), c.size, w*h)
	}
	for i := range 3 {
		if c.domain.min[i] >= c.domain.max[i] {
			return table{}, c.errorf("the domain, %v, is empty", c.domain)
		}
	}
	return table{pixmap.New(w, h, pixmap.Float), c.size, c.single}, nil
}

// keyword parses a line that is not an entry.
func (c *cube) keyword(words []string) error {
	switch words[0] {
	case "TITLE":
		return nil
	case "LUT_1D_SIZE", "LUT_3D_SIZE":
		return c.sized(words)
	case "DOMAIN_MIN", "DOMAIN_MAX":
		v, err := c.numbers(words[1:], 3)
		if err != nil {
			return err
		}
		if words[0] == "DOMAIN_MIN" {
			c.domain.min = [3]float32(v)
		} else {
			c.domain.max = [3]float32(v)
		}
	case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
		v, err := c.numbers(words[1:], 2)
		if err != nil {
			return err
		}
		c.domain = domain{[3]float32{v[0], v[0], v[0]}, [3]float32{v[1], v[1], v[1]}}
	default:
		return c.errorf("unknown keyword %.40q; a rule with recipe = \"copy\" leaves a .cube file of another kind as it is", words[0])
	}
	return nil
}

// sized parses LUT_1D_SIZE or LUT_3D_SIZE.
func (c *cube) sized(words []string) error {
	single, most := words[0] == "LUT_1D_SIZE", maxSize
	if single {
		most = maxSingle
	}
	if c.size > 0 {
		return c.errorf("%s beside %s: tables of both kinds in one file cannot be one texture; export one of them", words[0], c.sizeKey())
	}
	n, err := strconv.Atoi(strings.Join(words[1:], " "))
	if err != nil || n < minSize || n > most {
		return c.errorf("%s must be a number from %d to %d", words[0], minSize, most)
	}
	c.size, c.single = n, single
	return nil
}

func isNumber(word string) bool { return strings.IndexByte("+-.0123456789", word[0]) >= 0 }

// numbers parses n numbers.
func (c *cube) numbers(words []string, n int) ([]float32, error) {
	if len(words) != n {
		return nil, c.errorf("want %d numbers", n)
	}
	var v [3]float32
	for i, word := range words {
		f, err := strconv.ParseFloat(word, 32)
		if err != nil || math.IsNaN(f) || math.Abs(f) > maxHalf {
			return nil, c.errorf("%.40q is no number from -%d to %d", word, maxHalf, maxHalf)
		}
		v[i] = float32(f)
	}
	return v[:n], nil
}
