package data

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// readJSONC reads JSON with comments and trailing commas.
func readJSONC(b *builder, text []byte) (*value, error) {
	plain, err := jsontext.WithoutComments(b.ctx, text)
	if err != nil {
		return nil, err
	}
	return readJSON(b, plain) // comments became spaces, so all offsets are unchanged
}

// readPlainJSON parses JSON. If the text is invalid only because of comments, the error says so.
func readPlainJSON(b *builder, text []byte) (*value, error) {
	v, err := readJSON(b, text)
	if err != nil && b.ctx.Err() == nil && jsontext.OnlyComments(b.ctx, text) {
		err = fmt.Errorf(`%w; to allow comments and commas before a bracket, set input = "jsonc"`, err)
	}
	return v, err
}

// readJSON reads a single JSON value.
func readJSON(b *builder, text []byte) (*value, error) {
	if err := jsontext.CheckContext(b.ctx, text); err != nil {
		return nil, err
	}
	r := &jsonReader{builder: b, places: places{text: text}, dec: json.NewDecoder(ctxio.Reader(b.ctx, bytes.NewReader(text)))}
	r.dec.UseNumber()
	return r.readJSONValue()
}

// A jsonReader reads text that is known to be valid JSON.
type jsonReader struct {
	*builder
	places
	dec *json.Decoder
}

// nextTokenPlace moves to the next token and returns its line and column.
func (r *jsonReader) nextTokenPlace() (line, col int) {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	return r.placeOf(at)
}

func (r *jsonReader) readJSONValue() (*value, error) {
	line, col := r.nextTokenPlace()
	from := r.seen
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	v, err := r.newValue(null, line, col)
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case nil:
	case bool:
		v.kind, v.text = boolean, no
		if t {
			v.text = yes
		}
	case json.Number:
		v.kind, v.text = number, string(t)
	case string:
		if err := r.wholeCharacters(from); err != nil {
			return nil, err
		}
		v.kind, v.text = text, t
	case json.Delim:
		v.kind = list
		if t == '{' {
			v.kind = object
		}
		return v, r.readJSONInside(v)
	}
	return v, nil
}

// readJSONInside reads the values between the brackets of v.
func (r *jsonReader) readJSONInside(v *value) error {
	if err := r.enterLevel(v); err != nil {
		return err
	}
	defer r.leaveLevel()
	for r.dec.More() {
		if v.kind == object {
			r.nextTokenPlace()
			if err := r.wholeCharacters(r.seen); err != nil {
				return err
			}
			key, err := r.dec.Token()
			if err != nil {
				return err
			}
			v.keys = append(v.keys, key.(string))
		}
		item, err := r.readJSONValue()
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	_, err := r.dec.Token()
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// wholeCharacters refuses a string that has an escape for only half of a surrogate pair, such as
// \ud83d. Package json would replace this half with U+FFFD. from is the offset of the string.
func (r *jsonReader) wholeCharacters(from int) error {
	if at, ok := jsontext.HalfCharacter(r.text, from); ok {
		return plaintext.Errorf(r.text, at, "%s is half of a surrogate pair; write both halves, or the character itself", r.text[at:at+6])
	}
	return nil
}

// A writer appends an encoded tree to out. It tracks the path of the current value, for errors.
type writer struct {
	ctx     context.Context
	most    int // size limit of out
	out     []byte
	path    []string
	written int
}

// mostOutput returns the limit of the output size for a source size. YAML aliases and column names
// can expand a few bytes to gigabytes.
func mostOutput(source int) int { return 4<<20 + 32*source }

// countWritten counts a value, and checks the context from time to time.
func (w *writer) countWritten() error {
	if len(w.out) > w.most {
		return fmt.Errorf("the output exceeds %d bytes; use fewer aliases or shorter column names", w.most)
	}
	if w.written++; w.written%step == 0 {
		return w.ctx.Err()
	}
	return nil
}

// writeBelow writes item i of a list or object with the function one.
func (w *writer) writeBelow(v *value, i int, one func(*value) error) error {
	name := strconv.Itoa(i)
	if v.kind == object {
		name = v.keys[i]
	}
	w.path = append(w.path, name)
	err := one(v.items[i])
	w.path = w.path[:len(w.path)-1]
	return err
}

// appendJSON writes a tree as JSON without white space.
func appendJSON(w writer, root *value) ([]byte, error) {
	err := w.writeJSONValue(root)
	return w.out, err
}

func (w *writer) writeJSONValue(v *value) error {
	if err := w.countWritten(); err != nil {
		return err
	}
	switch v.kind {
	case null:
		w.out = append(w.out, "null"...)
	case boolean:
		w.out = append(w.out, v.text...)
	case number:
		if _, ok := special(v.text); ok {
			return v.valueErrorf(w.path, "JSON cannot store %s; write null or a large number", v.text)
		}
		w.out = append(w.out, v.text...)
	case text:
		w.out = appendQuoted(w.out, v.text)
	default:
		open, end := byte('['), byte(']')
		if v.kind == object {
			open, end = '{', '}'
		}
		w.out = append(w.out, open)
		for i := range v.items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if v.kind == object {
				w.out = append(appendQuoted(w.out, v.keys[i]), ':')
			}
			if err := w.writeBelow(v, i, w.writeJSONValue); err != nil {
				return err
			}
		}
		w.out = append(w.out, end)
	}
	return nil
}

// appendQuoted appends a UTF-8 string, with the escapes that JSON requires and no others.
func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		default:
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(out, '"')
}
