package font

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
)

// maxRunes is how many runes an atlas may have: as many as a font has glyphs.
const maxRunes = 1 << 16

// runeSet is a set of runes, by number.
type runeSet struct {
	has   [(utf8.MaxRune + 1) / 64]uint64
	count int
}

func (s *runeSet) add(r rune) {
	if bit := uint64(1) << (r % 64); s.has[r/64]&bit == 0 {
		s.has[r/64] |= bit
		s.count++
	}
}

// runes returns the set in order.
func (s *runeSet) runes() []rune {
	list := make([]rune, 0, s.count)
	for i, bits := range s.has {
		for k := rune(0); bits != 0; k, bits = k+1, bits>>1 {
			if bits&1 != 0 {
				list = append(list, rune(i)*64+k)
			}
		}
	}
	return list
}

// runes returns the runes that the options ask for, sorted. It reads the files of
// option text.
func (o *Font) runes(ctx context.Context, job *recipe.Job) ([]rune, error) {
	set := new(runeSet)
	for _, text := range o.Charset {
		first, last, err := parseRange(text)
		if err != nil {
			return nil, err
		}
		for r := first; r <= last; r++ {
			set.add(r)
		}
	}
	for _, name := range o.Text {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := o.readText(job, name)
		if err != nil {
			return nil, err
		}
		for i, r := range string(text) {
			if r == utf8.RuneError && !strings.HasPrefix(string(text[i:min(i+3, len(text))]), "\ufffd") {
				return nil, fmt.Errorf("%s: byte %d is not UTF-8; save it as UTF-8", name, i)
			}
			if !control(r) {
				set.add(r)
			}
		}
	}
	switch {
	case set.count > maxRunes:
		return nil, fmt.Errorf("%d runes, more than a font has glyphs, %d; shorten charset or text", set.count, maxRunes)
	case set.count == 0:
		return nil, errors.New("no runes; name some in charset or text")
	}
	return set.runes(), nil
}

// control reports whether a rune of a text file means no glyph: control characters,
// the byte order mark.
func control(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfeff }

// maxText is how large a file of option text may be.
const maxText = 4 << 20

func (o *Font) readText(job *recipe.Job, name string) ([]byte, error) {
	f, err := job.OpenDep(name)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	if info.Size() > maxText {
		return nil, fmt.Errorf("text: %s has more than %d MiB; a list of its runes will do", name, maxText>>20)
	}
	text, err := job.Read(name)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return text, nil
}

// parseRange reads "U+41" or "U+20-7E".
func parseRange(text string) (first, last rune, err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, ok1 := parseRune(from, true)
	last, ok2 := parseRune(to, !isRange)
	switch {
	case !ok1 || !ok2:
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: `runes such as "U+41" or "U+20-7E"`}
	case first > last:
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: "the smaller number first"}
	case first <= 0xdfff && last >= 0xd800:
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: "none of U+D800-DFFF, which are no runes"}
	}
	return first, last, nil
}

func parseRune(text string, prefixed bool) (rune, bool) {
	digits, hasPrefix := strings.CutPrefix(text, "U+")
	if !hasPrefix {
		digits, hasPrefix = strings.CutPrefix(text, "u+")
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && (hasPrefix || !prefixed)
}

// listRunes names the first few of a list for a person.
func listRunes(list []rune) string {
	const few = 5
	names := make([]string, 0, few)
	for _, r := range list[:min(few, len(list))] {
		if strconv.IsPrint(r) {
			names = append(names, fmt.Sprintf("U+%04X %q", r, r))
		} else {
			names = append(names, fmt.Sprintf("U+%04X", r))
		}
	}
	text := strings.Join(names, ", ")
	if len(list) > few {
		text += fmt.Sprintf(" and %d more", len(list)-few)
	}
	return text
}
