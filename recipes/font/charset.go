package font

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// maxRunes limits the number of runes in an atlas. It is the largest possible number of glyphs in a
// font.
const maxRunes = 1 << 16

// runesOfOptions returns the runes that the options select, sorted. It reads the files of option
// text.
func (o *fontOptions) runesOfOptions(ctx context.Context, job *recipe.Job) ([]rune, error) {
	set := new(runeSet)
	for _, text := range o.Charset {
		first, last, err := parseRange(text)
		if err != nil {
			return nil, err
		}
		for r := first; r <= last; r++ {
			set.addRune(r)
		}
	}
	if err := o.addTexts(ctx, job, set); err != nil {
		return nil, err
	}
	switch {
	case set.count > maxRunes:
		return nil, fmt.Errorf("the options name %d characters, but a font has at most %d glyphs; shorten charset or text", set.count, maxRunes)
	case set.count == 0:
		return nil, errors.New("the options name no characters; name some in charset or text")
	}
	return set.sortedRunes(), nil
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
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: `code points such as "U+41" or ranges such as "U+20-7E"`}
	case first > last:
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: "a range with the smaller number first"}
	case first <= 0xdfff && last >= 0xd800:
		return 0, 0, &recipe.OptionError{Key: "charset", Got: strconv.Quote(text), Want: "no surrogates (U+D800-DFFF), which are not characters"}
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

// listRunes describes a list of runes by its first few runes.
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

// A font depends on the runes in a text, not on the text itself. So an edit that adds no new rune
// does not cook the font again. An extract holds the sorted runes. For a refused text, the extract
// holds the constant refusal and a reason.
var (
	runesOfText = recipe.Extract{Name: "runes", Version: 1, Of: textRunes}
	runesOfJSON = recipe.Extract{Name: "strings", Version: 1, Of: jsonRunes}
)

// refusal marks an extract without runes. A text's runes never include control characters.
const refusal = "\x00"

// maxText limits the size of a file of option text, in bytes.
const maxText = 4 << 20

// textRunes extracts the runes of a text file.
func textRunes(file io.ReaderAt, size int64) (recipe.Says, error) {
	return extractRunes(file, size, func(set *runeSet, text []byte) error {
		if err := plaintext.CheckUTF8(text); err != nil {
			return err
		}
		set.addRunes(string(text))
		return nil
	})
}

// jsonRunes extracts the runes of all string values in a JSON file. It ignores keys.
func jsonRunes(file io.ReaderAt, size int64) (recipe.Says, error) {
	return extractRunes(file, size, func(set *runeSet, text []byte) error {
		if err := jsontext.Check(text); err != nil {
			return err
		}
		for i := 0; i < len(text); i++ {
			if text[i] != '"' {
				continue
			}
			end := jsontext.StringEnd(text, i)
			if rest := bytes.TrimLeft(text[end+1:], " \t\r\n"); !bytes.HasPrefix(rest, []byte(":")) {
				set.addRunes(jsontext.DecodeString(text, i))
			}
			i = end
		}
		return nil
	})
}

func extractRunes(file io.ReaderAt, size int64, add func(set *runeSet, text []byte) error) (recipe.Says, error) {
	if size > maxText {
		return toAll(fmt.Sprintf("%sthe texts have more than %d MiB; list their characters in charset instead", refusal, maxText>>20)), nil
	}
	text := make([]byte, size)
	n, err := file.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	set := new(runeSet)
	if err := add(set, bytes.TrimPrefix(text[:n], []byte(plaintext.ByteOrderMark))); err != nil {
		return toAll(refusal + err.Error()), nil
	}
	return toAll(string(set.sortedRunes())), nil
}

// toAll returns the result of an extract whose text is the same for all fonts.
func toAll(text string) recipe.Says { return recipe.Says{"": []byte(text)} }

// addTexts adds the runes in the files of option text.
func (o *fontOptions) addTexts(ctx context.Context, job *recipe.Job, set *runeSet) error {
	for _, pattern := range o.Text {
		names := []string{pattern}
		if strings.ContainsAny(pattern, `*?[{\`) {
			var err error
			if names, err = job.Glob(pattern); err != nil {
				return fmt.Errorf("text: %w", err)
			}
			if len(names) == 0 {
				job.Warn("text: no file matches the pattern %s", pathname.Show(pattern))
			}
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := addText(job, set, name); err != nil {
				return fmt.Errorf("text: %s: %w", pathname.Show(name), err)
			}
		}
	}
	return nil
}

func addText(job *recipe.Job, set *runeSet, name string) error {
	x := runesOfText
	if strings.EqualFold(path.Ext(name), ".json") {
		x = runesOfJSON
	}
	runes, err := job.ReadExtract(name, x.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file")
	}
	if err != nil {
		return err
	}
	if why, ok := strings.CutPrefix(string(runes), refusal); ok {
		return errors.New(why)
	}
	set.addRunes(string(runes))
	return nil
}

// addRunes adds all runes of the text that have glyphs. The text must be valid UTF-8.
func (s *runeSet) addRunes(text string) {
	for _, r := range text {
		if !hasNoGlyph(r) {
			s.addRune(r)
		}
	}
}

// hasNoGlyph reports whether a rune never has a glyph. These are the control characters and the
// byte order mark.
func hasNoGlyph(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfeff }

// runeSet is a bit set of runes.
type runeSet struct {
	has   [(utf8.MaxRune + 1) / 64]uint64
	count int
}

func (s *runeSet) addRune(r rune) {
	if bit := uint64(1) << (r % 64); s.has[r/64]&bit == 0 {
		s.has[r/64] |= bit
		s.count++
	}
}

// sortedRunes returns the runes in ascending order.
func (s *runeSet) sortedRunes() []rune {
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
