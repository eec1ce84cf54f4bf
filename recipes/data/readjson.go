package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	return readJSON(b, plain) // every byte is at its old offset
}

// readPlainJSON parses JSON. If it fails only because of comments, the error says so.
func readPlainJSON(b *builder, text []byte) (*value, error) {
	v, err := readJSON(b, text)
	if err != nil && b.ctx.Err() == nil && jsontext.OnlyComments(b.ctx, text) {
		err = fmt.Errorf(`%w; comments and commas before a bracket are read with input = "jsonc"`, err)
	}
	return v, err
}

// readJSON reads one JSON value.
func readJSON(b *builder, text []byte) (*value, error) {
	if err := jsontext.CheckContext(b.ctx, text); err != nil {
		return nil, err
	}
	r := &jsonReader{builder: b, places: places{text: text}, dec: json.NewDecoder(ctxio.Reader(b.ctx, bytes.NewReader(text)))}
	r.dec.UseNumber()
	return r.value()
}

// A jsonReader reads text that is known to be valid JSON.
type jsonReader struct {
	*builder
	places
	dec *json.Decoder
}

// place moves to the next token and returns its line and column.
func (r *jsonReader) place() (line, col int) {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	return r.at(at)
}

func (r *jsonReader) value() (*value, error) {
	line, col := r.place()
	from := r.seen
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	v, err := r.make(null, line, col)
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
		return v, r.inside(v)
	}
	return v, nil
}

// inside reads the values between the brackets of v.
func (r *jsonReader) inside(v *value) error {
	if err := r.down(v); err != nil {
		return err
	}
	defer r.up()
	for r.dec.More() {
		if v.kind == object {
			r.place()
			if err := r.wholeCharacters(r.seen); err != nil {
				return err
			}
			key, err := r.dec.Token()
			if err != nil {
				return err
			}
			v.keys = append(v.keys, key.(string))
		}
		item, err := r.value()
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

// wholeCharacters refuses a string at an offset with an escape of half a character, such as
// \ud83d: package json would replace it by U+FFFD.
func (r *jsonReader) wholeCharacters(from int) error {
	if at, ok := jsontext.HalfCharacter(r.text, from); ok {
		return plaintext.Errorf(r.text, at, "%s is half a character; write both halves, or the character itself", r.text[at:at+6])
	}
	return nil
}
