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

// maxRunes limits the runes of an atlas to the largest number of glyphs in a font.
const maxRunes = 1 << 16

// runes returns the runes of the options, sorted. It reads the files of option text.
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
	if err := o.addTexts(ctx, job, set); err != nil {
		return nil, err
	}
	switch {
	case set.count > maxRunes:
		return nil, fmt.Errorf("%d runes, more than a font has glyphs, %d; shorten charset or text", set.count, maxRunes)
	case set.count == 0:
		return nil, errors.New("no runes; name some in charset or text")
	}
	return set.runes(), nil
}

// parseRange parses "U+41" or "U+20-7E".
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

// listRunes describes a list by its first runes.
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
