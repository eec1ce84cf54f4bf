// Package jsontext checks JSON text and reports errors by line and column: syntax, and duplicate
// keys of an object. It also removes comments and white space. Unlike encoding/json, it stops when
// a context ends.
package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// whiteSpace is allowed between values.
const whiteSpace = " \t\r\n"

// Check returns an error that starts with the line and column of the mistake, both from 1; columns
// count characters.
func Check(text []byte) error { return CheckContext(context.Background(), text) }

// CheckContext is Check that ends with the context's error.
func CheckContext(ctx context.Context, text []byte) error {
	if len(bytes.TrimLeft(text, whiteSpace)) == 0 {
		return errors.New("the file is empty, want a JSON value")
	}
	if err := plaintext.CheckUTF8(text); err != nil {
		return err
	}
	if ok, err := valid(ctx, text); err != nil {
		return err
	} else if !ok {
		// Unmarshal checks the whole text before it looks at its target.
		return syntaxError(text, json.Unmarshal(text, new(any)))
	}
	first, second, found, err := duplicateKey(ctx, text)
	if err != nil {
		return err
	}
	if found {
		return plaintext.Errorf(text, second, "duplicate key %s, first at %s",
			showKey(text, second), plaintext.Position(text, first))
	}
	return nil
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	// Offset counts the bytes read, including the offending one; at the end of the text there is
	// none.
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	at = min(max(at, 0), len(text))
	if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
		return plaintext.Errorf(text, at, "nested deeper than 10000 levels")
	}
	return plaintext.Errorf(text, at, "%s", syntax.Error())
}
