package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Keys are read back from every form that can express them.
func TestKeysOfAllForms(t *testing.T) {
	read := func(t *rapid.T, form string, zero bool, text []byte) keyList {
		c := &command{stdin: bytes.NewReader(text)}
		c.layout.zero = zero
		if err := c.options.keys.Set(form); err != nil {
			t.Fatal(err)
		}
		var keys keyList
		if err := c.readKeys(t.Context(), &keys, stdinName); err != nil {
			t.Fatalf("%s: %q: %v", form, text, err)
		}
		return keys
	}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 20).Draw(t, "size")
		want := []string{}
		var hexLines, records, sums bytes.Buffer
		given := map[string]uint64{}
		for _, key := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), size, size), 1, 10).Draw(t, "keys") {
			want = append(want, string(key))
			fmt.Fprintln(&hexLines, hex.EncodeToString(key))
			records.Write(key)
			text := strings.NewReplacer("\x00", "0", "\xff", "f").Replace(string(key))
			sum := uint64(len(given))
			if before, again := given[text]; again {
				sum = before
			}
			given[text] = sum
			fmt.Fprintf(&sums, "%x %s\x00", sum, text)
		}
		if got := read(t, "hex", false, hexLines.Bytes()); !slices.Equal(got.list, want) {
			t.Fatalf("hex: %q, want %q", got.list, want)
		}
		if got := read(t, fmt.Sprint(size), false, records.Bytes()); !slices.Equal(got.list, want) {
			t.Fatalf("records: %q, want %q", got.list, want)
		}
		got := read(t, "sums", true, sums.Bytes())
		if len(got.list) != len(want) || len(got.sums) != len(given) {
			t.Fatalf("sums: %q, %v, want %v", got.list, got.sums, given)
		}
		for _, key := range got.list {
			if sum, ok := given[key]; !ok || got.sums[key] != sum {
				t.Fatalf("sums: %q has %x, want %x, %v", key, got.sums[key], sum, ok)
			}
		}
	})
}
