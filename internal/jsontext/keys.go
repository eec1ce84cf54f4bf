package jsontext

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// duplicateKey finds the first object with a duplicate key, innermost objects first, and returns
// the offsets of both keys. The text must be valid JSON.
//
// It stores only the offsets of the keys of open objects, and sorts the keys of an object at the
// object's end. So it takes n log n time and at most eight bytes per key, even for a hostile text.
func duplicateKey(ctx context.Context, text []byte) (first, second int, found bool, err error) {
	var (
		look  int   // offset of the next check of the context
		keys  []int // offsets of the opening quotes of keys, for all open objects
		open  []int // index in keys of the first key of each open object; -1 for arrays
		isKey bool  // set if the next string is a key
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

// duplicateAmong sorts the keys of one object. Of all pairs of equal keys it returns the pair whose
// second key comes first in the text.
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
			return 0 // all keys count as equal after an error, so that sorting ends soon
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

// compareKeys compares the decoded text of two strings, given by the offsets of their opening
// quotes. "a" and "\u0061" are equal.
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

// nextChar decodes the character of a string at offset i and returns the offset after it, or -1 at
// the closing quote. It does not replace half of a surrogate pair, so that different halves are
// different.
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
	default: // an escaped quote, slash or backslash
		return rune(c), i + 2
	}
}

func hex4(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // cannot fail: the digits are valid
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
		return "" // impossible: the text is valid
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

// HalfCharacter examines the string at offset i of valid text. It returns the offset of the first
// escape that is half of a surrogate pair without the other half. JSON allows such an escape (RFC
// 8259, section 8.2), but it is not a character.
func HalfCharacter(text []byte, i int) (offset int, found bool) {
	end := StringEnd(text, i)
	for i++; i < end; i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		unit := hex4(text[i+1:])
		switch {
		case unit&^0x3ff == 0xd800 && bytes.HasPrefix(text[i+5:end], []byte(`\u`)) && hex4(text[i+7:])&^0x3ff == 0xdc00:
			i += 6
		case unit&^0x7ff == 0xd800:
			return i - 1, true
		}
	}
	return 0, false
}
