package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
)

// JSON checks that the source is one JSON value (RFC 8259) in UTF-8 in which
// no object names a key twice, and drops the white space. Numbers, strings and
// the order of keys stay as they are written.
//
// A byte order mark at the start is accepted. Nesting is limited to the 10,000
// levels of encoding/json.
type JSON struct {
	Minify bool `toml:"minify" doc:"drop white space and byte order mark; false copies the file as it is once it is checked"`
}

const utf8BOM = "\xef\xbb\xbf"

// Outputs implements recipe.Cooker.
func (*JSON) Outputs() []string { return []string{"{path}"} }

// Estimate implements recipe.Estimator.
func (*JSON) Estimate(_ []byte, size int64) (int64, error) {
	// The text, its compact form, and at worst (a key every five bytes, the
	// list of keys being copied as it grows) 3.6 times the text.
	return 64<<10 + 6*size, nil
}

// Cook implements recipe.Cooker.
func (j *JSON) Cook(ctx context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	text := bytes.TrimPrefix(data, []byte(utf8BOM))
	if err := checkJSON(text); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !j.Minify {
		return job.Write(0, data)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	return job.Write(0, compact.Bytes())
}

// checkJSON returns an error that starts with the line and column of what is
// wrong with text, both from 1; columns count characters.
func checkJSON(text []byte) error {
	if len(bytes.TrimLeft(text, " \t\r\n")) == 0 {
		return errors.New("the file is empty, want a JSON value")
	}
	if i := invalidUTF8(text); i >= 0 {
		hint := ""
		if i == 0 && (text[0] == 0xff || text[0] == 0xfe) {
			hint = "; save the file as UTF-8, not UTF-16"
		}
		return positioned(text, i, "byte 0x%02x is not UTF-8%s", text[i], hint)
	}
	if !json.Valid(text) {
		// Unmarshal checks the whole text before it looks at its target.
		return syntaxError(text, json.Unmarshal(text, new(any)))
	}
	if first, second, found := duplicateKey(text); found {
		return positioned(text, second, "duplicate key %s, first at %s",
			showKey(text, second), position(text, first))
	}
	return nil
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	// Offset counts the bytes read, the offending one included; at the end of
	// the text there is none.
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	at = min(max(at, 0), len(text))
	if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
		return positioned(text, at, "nested deeper than 10000 levels")
	}
	return positioned(text, at, "%s", syntax.Error())
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// positioned is an error about the byte at an offset.
func positioned(text []byte, offset int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", position(text, offset), fmt.Sprintf(format, args...))
}

func position(text []byte, offset int) string {
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%d:%d", line, column)
}
