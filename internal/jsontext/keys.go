package jsontext

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// duplicateKey finds the innermost, first object that names a key twice and
// returns the offsets of both names. The text must be valid JSON.
//
// Only the offsets of the keys of objects still open are kept, and an object's
// keys are sorted when it closes. So a hostile text costs n log n time and at
// most eight bytes a key, however it nests and whatever its keys hash to.
func duplicateKey(ctx context.Context, text []byte) (first, second int, found bool, err error) {
	var (
		look  int   // when to look at the context again
		keys  []int // offsets of the opening quotes, of all open objects
		open  []int // for each open object its first element of keys, -1 for arrays
		isKey bool  // whether the next string is a key
	)
	for i := 0; i < len(text); i++ {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return 0, 0, false, ctx.Err()
			}
		}
		switch text[i] {
		case '{':
			open = append(open, len(keys))
			isKey = true
		case '[':
			open = append(open, -1)
			isKey = false
		case ',':
			isKey = open[len(open)-1] >= 0
		case '"':
			if isKey {
				keys = append(keys, i)
			}
			isKey = false
			i = StringEnd(text, i)
		case '}':
			start := open[len(open)-1]
			first, second, found, err = duplicateAmong(ctx, text, keys[start:])
			if found || err != nil {
				return first, second, found, err
			}
			keys = keys[:start]
			fallthrough
		case ']':
			open = open[:len(open)-1]
			isKey = false
		}
	}
	return 0, 0, false, nil
}

// duplicateAmong sorts the keys of one object and returns the equal pair whose
// second member comes first in the text.
func duplicateAmong(ctx context.Context, text []byte, keys []int) (first, second int, found bool, err error) {
	if len(keys) < 2 {
		return 0, 0, false, nil
	}
	compared := 0
	slices.SortFunc(keys, func(a, b int) int {
		if compared++; compared%chunk == 0 && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0 // all are equal now, so that sorting is soon over
		}
		return cmp.Or(compareKeys(text, a, b), cmp.Compare(a, b))
	})
	if err != nil {
		return 0, 0, false, err
	}
	for i, b := range keys[1:] {
		if a := keys[i]; compareKeys(text, a, b) == 0 && (!found || b < second) {
			first, second, found = a, b, true
		}
	}
	return first, second, found, nil
}

// compareKeys orders two strings, given by their opening quotes, by what they
// mean: "a" and "\u0061" are one key.
func compareKeys(text []byte, a, b int) int {
	a, b = a+1, b+1
	for {
		var x, y rune
		x, a = nextChar(text, a)
		y, b = nextChar(text, b)
		if x != y || x < 0 {
			return cmp.Compare(x, y)
		}
	}
}

// nextChar decodes the character of a string at offset i and returns the
// offset after it, or -1 at the closing quote. A surrogate without its other
// half stands for itself, so that two different ones stay different.
func nextChar(text []byte, i int) (rune, int) {
	switch c := text[i]; {
	case c == '"':
		return -1, i
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRune(text[i:])
		return r, i + n
	case c != '\\':
		return rune(c), i + 1
	}
	switch c := text[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r := hex4(text[i+2:])
		if utf16.IsSurrogate(r) && text[i+6] == '\\' && text[i+7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(text[i+8:])); pair != utf8.RuneError {
				return pair, i + 12
			}
		}
		return r, i + 6
	default: // a quote, slash or backslash
		return rune(c), i + 2
	}
}

func hex4(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // valid by contract
	return rune(n)
}

// StringEnd returns the offset of the quote that closes the string at i.
func StringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// DecodeString returns the string that starts at offset i.
func DecodeString(text []byte, i int) string {
	var key string
	if err := json.Unmarshal(text[i:StringEnd(text, i)+1], &key); err != nil {
		return "" // cannot be: the text is valid
	}
	return key
}

// showKey quotes a key for a message, shortened if it is very long.
func showKey(text []byte, i int) string {
	const longest = 60
	key := DecodeString(text, i)
	if runes := []rune(key); len(runes) > longest {
		return strconv.Quote(string(runes[:longest])) + "..."
	}
	return strconv.Quote(key)
}
