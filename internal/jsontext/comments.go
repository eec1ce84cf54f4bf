package jsontext

import (
	"bytes"
	"context"
	"strings"

	"github.com/assetcook/assetcook/internal/plaintext"
)

// WithoutComments returns JSON with comments (/* and //, as in C) and a comma after
// the last item of an object or array as plain JSON: spaces stand in the place of
// both, so that every byte is where it was. What else is wrong with the text, Check
// finds. Strings of invalid text end where a line does.
func WithoutComments(ctx context.Context, text []byte) ([]byte, error) {
	if err := plaintext.CheckUTF8(text); err != nil {
		return nil, err
	}
	out := bytes.Clone(text)
	var (
		comma = -1    // the comma that nothing follows yet
		last  byte    // the last byte that is no white space
		look  = chunk // when to look at the context
	)
	for i := 0; i < len(out); i++ {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		switch c := out[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '/':
			end, err := commentEnd(text, i)
			if err != nil {
				return nil, err
			}
			if end > i {
				blank(out[i:end])
				i = end - 1
				continue
			}
		case ',':
			comma = -1
			if last != 0 && strings.IndexByte("[{,:", last) < 0 {
				comma = i
			}
			last = c
			continue
		case ']', '}':
			if comma >= 0 {
				out[comma] = ' '
			}
		case '"':
			i = stringEnd(out, i)
		}
		comma, last = -1, '"'
		if i < len(out) {
			last = out[i]
		}
	}
	return out, nil
}

// OnlyComments reports whether text is JSON but for what WithoutComments takes out.
func OnlyComments(ctx context.Context, text []byte) bool {
	plain, err := WithoutComments(ctx, text)
	return err == nil && !bytes.Equal(plain, text) && CheckContext(ctx, plain) == nil
}

// chunk is how many bytes lie between two looks at the context.
const chunk = 64 << 10

// blank leaves nothing but white space.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// commentEnd returns the offset after the comment that starts at i, or i if there is
// none.
func commentEnd(text []byte, i int) (int, error) {
	switch {
	case bytes.HasPrefix(text[i:], []byte("//")):
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n, nil
		}
		return len(text), nil
	case bytes.HasPrefix(text[i:], []byte("/*")):
		if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
			return i + n + 4, nil
		}
		return 0, plaintext.Errorf(text, i, "a comment without an end")
	}
	return i, nil
}

// stringEnd is StringEnd for text that may be invalid: a string ends with its line
// or the text, too.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
