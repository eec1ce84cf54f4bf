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

// Size limits of the format.
const (
	minSize   = 2
	maxSize   = 256   // largest valid LUT_3D_SIZE
	maxSingle = 65536 // largest valid LUT_1D_SIZE
)

// maxHalf is the largest finite value of rgba16f.
const maxHalf = 65504

// isCube reports whether a file that begins with head is a color table. Chemistry programs also
// write .cube files. An empty file counts as a color table that has lost its content.
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

// A domain is the range of a table's input colors, for each of red, green and blue.
type domain struct{ min, max [3]float32 }

// unit is the default domain.
var unit = domain{max: [3]float32{1, 1, 1}}

// String returns a range such as "0 to 4", or a range per channel if the ranges differ.
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
	at     int // offset of the current line in the file
	size   int
	single bool
	domain domain
}

// parseCube parses a .cube file according to Adobe's Cube LUT Specification 1.0. It also reads
// the input ranges that DaVinci Resolve writes instead of a domain.
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
		words := c.lineWords(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case beginsNumber(words[0]):
			if t.Map == nil {
				var err error
				if t, err = c.allocateTable(); err != nil {
					return table{}, unit, err
				}
			}
			v, err := c.parseEntries(words, 3)
			if err != nil {
				return table{}, unit, err
			}
			if entries == t.W*t.H {
				return table{}, unit, c.cubeErrorf("the file has more entries than the %d that %s declares; export it again", entries, c.sizeKey())
			}
			copy(t.PixF[4*entries:], []float32{v[0], v[1], v[2], 1})
			entries++
		case t.Map != nil:
			return table{}, unit, c.cubeErrorf("the word %q is between the entries; move it before the first entry", words[0])
		default:
			if err := c.parseKeyword(words); err != nil {
				return table{}, unit, err
			}
		}
		c.at = next
	}
	if t.Map == nil {
		return table{}, unit, c.cubeErrorf("the file has no entries, so it is not a .cube file or is cut short; export it again")
	}
	if want := t.W * t.H; entries < want {
		return table{}, unit, c.cubeErrorf("the file has only %d of %d entries, so it is cut short; export it again", entries, want)
	}
	return t, c.domain, nil
}

// mostWords is the maximum number of words in a valid line, plus one. mostOfWord limits the length
// of a word.
const (
	mostWords  = 5
	mostOfWord = 64
)

// lineWords returns the words of a line. It truncates words that are too long to be valid, and
// marks them so that they are not valid numbers.
func (c *cube) lineWords(line []byte) []string {
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

func (c *cube) cubeErrorf(format string, args ...any) error {
	return plaintext.Errorf(c.text, c.at, format, args...)
}

func (c *cube) sizeKey() string {
	if c.single {
		return "LUT_1D_SIZE"
	}
	return "LUT_3D_SIZE"
}

// allocateTable allocates the entries. It refuses files that are too short to contain them.
func (c *cube) allocateTable() (table, error) {
	w, h := c.size, c.size*c.size
	if c.single {
		h = 1
	}
	switch least := 6 * w * h; {
	case c.size == 0:
		return table{}, c.cubeErrorf("an entry comes before LUT_3D_SIZE or LUT_1D_SIZE; write the size first")
	case least-1 > len(c.text)-c.at:
		return table{}, c.cubeErrorf("the file is cut short: %s %d needs %d entries; export it again", c.sizeKey(), c.size, w*h)
	}
	for i := range 3 {
		if c.domain.min[i] >= c.domain.max[i] {
			return table{}, c.cubeErrorf("the domain, %v, is empty; its upper limits must be above its lower limits", c.domain)
		}
	}
	return table{pixmap.New(w, h, pixmap.Float), c.size, c.single}, nil
}

// parseKeyword parses a line that is not an entry.
func (c *cube) parseKeyword(words []string) error {
	switch words[0] {
	case "TITLE":
		return nil
	case "LUT_1D_SIZE", "LUT_3D_SIZE":
		return c.parseTableSize(words)
	case "DOMAIN_MIN", "DOMAIN_MAX":
		v, err := c.parseEntries(words[1:], 3)
		if err != nil {
			return err
		}
		if words[0] == "DOMAIN_MIN" {
			c.domain.min = [3]float32(v)
		} else {
			c.domain.max = [3]float32(v)
		}
	case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
		v, err := c.parseEntries(words[1:], 2)
		if err != nil {
			return err
		}
		c.domain = domain{[3]float32{v[0], v[0], v[0]}, [3]float32{v[1], v[1], v[1]}}
	default:
		return c.cubeErrorf("unknown keyword %.40q; a rule with recipe = \"copy\" copies a .cube file of another kind", words[0])
	}
	return nil
}

// parseTableSize parses LUT_1D_SIZE or LUT_3D_SIZE.
func (c *cube) parseTableSize(words []string) error {
	single, most := words[0] == "LUT_1D_SIZE", maxSize
	if single {
		most = maxSingle
	}
	if c.size > 0 {
		return c.cubeErrorf("the file has both %s and %s, but a texture holds only one kind of table; export one of them", words[0], c.sizeKey())
	}
	n, err := strconv.Atoi(strings.Join(words[1:], " "))
	if err != nil || n < minSize || n > most {
		return c.cubeErrorf("%s must be a number from %d to %d", words[0], minSize, most)
	}
	c.size, c.single = n, single
	return nil
}

func beginsNumber(word string) bool { return strings.IndexByte("+-.0123456789", word[0]) >= 0 }

// parseEntries parses words as n numbers.
func (c *cube) parseEntries(words []string, n int) ([]float32, error) {
	if len(words) != n {
		return nil, c.cubeErrorf("the line must have %d numbers", n)
	}
	var v [3]float32
	for i, word := range words {
		f, err := strconv.ParseFloat(word, 32)
		if err != nil || math.IsNaN(f) || math.Abs(f) > maxHalf {
			return nil, c.cubeErrorf("%.40q is not a number from -%d to %d", word, maxHalf, maxHalf)
		}
		v[i] = float32(f)
	}
	return v[:n], nil
}
