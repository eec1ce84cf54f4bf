package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDuplicateKeyAgreesWithAMap compares duplicateKey with a map for any keys and any escapes. The
// reported pair must be the first repetition in the text.
func TestDuplicateKeyAgreesWithAMap(t *testing.T) {
	key := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"\\/é😀\n")), 0, 2, -1)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(key, 0, 40).Draw(t, "keys")
		var text strings.Builder
		text.WriteByte('{')
		seen := map[string]int{}
		wantFirst, wantSecond := -1, -1
		for i, k := range keys {
			if i > 0 {
				text.WriteString(", ")
			}
			at := text.Len()
			if first, ok := seen[k]; ok && wantFirst < 0 {
				wantFirst, wantSecond = first, at
			} else if !ok {
				seen[k] = at
			}
			quoted, err := json.Marshal(k)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "escape") {
				quoted = escaped(k)
			}
			text.Write(quoted)
			text.WriteString(`: {"a": [0]}`)
		}
		text.WriteByte('}')
		first, second, found, _ := duplicateKey(t.Context(), []byte(text.String()))
		if found != (wantFirst >= 0) || found && (first != wantFirst || second != wantSecond) {
			t.Fatalf("%s: got %d, %d, %v; want %d, %d", text.String(), first, second, found, wantFirst, wantSecond)
		}
	})
}

// escaped writes a string using only escapes.
func escaped(s string) []byte {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.Bytes()
}

// TestDuplicateKeyOfManyKeys checks one object with many keys, and many small objects. An algorithm
// with quadratic time would not finish here.
func TestDuplicateKeyOfManyKeys(t *testing.T) {
	const n = 100_000
	for name, index := range map[string]func(i int) int{
		"rising":  func(i int) int { return i },
		"falling": func(i int) int { return n - i },
		"organ":   func(i int) int { return min(i, 2*n-i)*2 + i*2/n },
	} {
		var text bytes.Buffer
		text.WriteString(`{"big":{`)
		for i := range n {
			fmt.Fprintf(&text, `"%s%07d":0,`, "key", index(i))
		}
		text.WriteString(`"last":0}`)
		for i := range n {
			fmt.Fprintf(&text, `,"s%d":{"a":0}`, i)
		}
		text.WriteString(`}`)
		if first, second, found, _ := duplicateKey(t.Context(), text.Bytes()); found {
			t.Errorf("%s: found %.40q twice, at %d and %d", name, text.Bytes()[first:], first, second)
		}
	}
}
