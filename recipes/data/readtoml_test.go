package data

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// tomlCases are valid and invalid documents for the rules about adding keys to tables.
var tomlCases = []string{
	"", "a=1\na=2", "a.b=1\na.c=2", "a.b=1\na=2", "a=1\na.b=2", "a={}\na.b=1", "a={b=1}\n[a.c]", "a=[{b=1}]\n[[a]]",
	"[a]\n[a]", "[a.b]\n[a]\nc=1", "[a.b]\n[a]\nb=1", "[a.b]\n[a]\nb.c=1", "[a]\nb.c=1\n[a.b]", "[a]\nb.c=1\n[a.b.d]", "[a]\nb.c=1\n[a.b.c]",
	"[[a]]\n[[a]]\nb=1", "[[a]]\n[a]", "[a]\n[[a]]", "[a.b]\n[[a]]", "[[a.b]]\n[a]\nc=1\n[[a.b]]", "[[a]]\n[a.b]\n[[a]]\n[a.b]\n[a.b]",
	"[[a]]\nb=1\n[[a.c]]\nd=1\n[[a.c]]\n[[a]]\n[[a.c]]\ne=2", "[[a]]\nb.c=1\n[[a]]\nb.c=2\nb.d=3", "a={b.c=1,b.d=2}", "a={b=1,b.c=2}", "a={b=1,b=2}",
	"a=[{b=1,b=2}]", "a=[[{b=1},{b=2}]]", "a.b=1\n[a]", "a.b=1\n[a.c]", "a.b.c=1\n[a.b]", "a.b=1\n[[a.c]]", "a.b=1\n[[a]]", "\"a\"=1\na=2", "''=1\n\"\"=2",
	"a='''\nx'''\nb=\"\"\"\\\n  y\"\"\"", "a=1_000.5e1_0\nb=-0.0\nc=+1.0\nd=0e0\ne=1e6", "a=[inf,-inf,nan,+inf,-nan]", "a=1e400", "a=0xff\nb=0o17\nc=0b11\nd=-0\ne=+1_0",
	"a=9223372036854775807\nb=-9223372036854775808", "a=9223372036854775808", "a=0x8000000000000000", "a=0x7fffffffffffffff",
	"a=1979-05-27T07:32:00Z\nb=1979-05-27 00:32:00.500-07:00\nc=1979-05-27\nd=07:32:00\ne=1979-05-27T07:32:00.120", "a=1979-02-30", "a=25:00:00", "a=1979-05-27T07:32:60Z",
	"a=1 b=2", "a=", "[a", "[]", "a.=1", "a='\xff'", "a=\"\\ud800\"", "a = [1,\n2, # c\n]", "a={b=1,\n}", "[a.\"b.c\".'d']\ne=1", "a=\x00", "# \x7f", "a=\r\n1", "\r",
}

func TestTOMLTablesAreExtendedAsTheLibraryDoes(t *testing.T) {
	for _, source := range tomlCases {
		sameTOML(t, source)
	}
}

// The test reads random lines in any order. The reader must return the same result as the library,
// or refuse the document like the library.
func TestTOMLLinesInAnyOrderAgreeWithTheLibrary(t *testing.T) {
	keys := rapid.StringMatching(`[abc](\.[abc]){0,2}`)
	values := rapid.SampledFrom([]string{"1", "{}", "{a=1}", "{a.b=1, c=[{}]}", "[]", "[{a=1},{a=2}]", "'x'"})
	lines := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return keys.Draw(t, "key") + "=" + values.Draw(t, "value") }),
		rapid.Map(keys, func(k string) string { return "[" + k + "]" }),
		rapid.Map(keys, func(k string) string { return "[[" + k + "]]" }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		sameTOML(rt, strings.Join(rapid.SliceOfN(lines, 0, 8).Draw(rt, "lines"), "\n"))
	})
}

func FuzzTOML(f *testing.F) {
	for _, source := range tomlCases {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { sameTOML(t, source) })
}

type failer interface {
	Errorf(format string, args ...any)
}

// sameTOML fails the test if the reader and the library disagree about a document.
func sameTOML(t failer, source string) {
	root, err := readTOML(&builder{ctx: never{}}, []byte(source))
	var doc map[string]any
	theirs := toml.Unmarshal([]byte(source), &doc)
	if err != nil && strings.Contains(err.Error(), "nested deeper") {
		return
	}
	if (err == nil) != (theirs == nil) {
		t.Errorf("%q: error %v, the library's is %v", source, err, theirs)
		return
	}
	if err != nil {
		var at *toml.DecodeError
		if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), ":") {
			t.Errorf("%q: error %q is not a line with a place", source, err)
		}
		if row := 0; errors.As(theirs, &at) {
			row, _ = at.Position()
			if !strings.HasPrefix(err.Error(), fmt.Sprint(row, ":")) {
				t.Errorf("%q: error %q, the library's is in line %d", source, err, row)
			}
		}
		return
	}
	if d := cmp.Diff(ofTOML(doc), ofValue(root)); d != "" {
		t.Errorf("%q: %s", source, d)
	}
}

// ofTOML converts the library's result to a comparable form; ofValue does so for the reader's
// result.
func ofTOML(x any) any {
	switch x := x.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, v := range x {
			m[k] = ofTOML(v)
		}
		return m
	case []any:
		l := []any{}
		for _, v := range x {
			l = append(l, ofTOML(v))
		}
		return l
	case float64:
		return fmt.Sprintf("%x", math.Float64bits(x))
	case int64:
		return strconv.FormatInt(x, 10)
	case time.Time:
		return "text " + x.Format(time.RFC3339Nano)
	case bool:
		return x
	}
	return fmt.Sprintf("text %v", x)
}

func ofValue(v *value) any {
	switch v.kind {
	case object:
		m := map[string]any{}
		for i, k := range v.keys {
			m[k] = ofValue(v.items[i])
		}
		return m
	case list:
		l := []any{}
		for _, item := range v.items {
			l = append(l, ofValue(item))
		}
		return l
	case number:
		f, special := special(v.text)
		if !special && !strings.ContainsAny(v.text, ".eE") {
			return v.text
		}
		if !special {
			f, _ = strconv.ParseFloat(v.text, 64)
		}
		return fmt.Sprintf("%x", math.Float64bits(f))
	case boolean:
		return v.text == yes
	}
	return "text " + v.text
}

// Keys must keep their order, floats their digits, and values their positions.
func TestTOMLKeepsOrderDigitsAndPlaces(t *testing.T) {
	source := "z = 1.10\na = 0.1234567890123456789012\n[t]\nb = 1_0e6\n[a2]\n[t.c]\nd = [+1.50, {\"é\" = inf}]\n"
	root, err := readTOML(&builder{ctx: t.Context()}, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	_, err = appendJSON(writer{ctx: t.Context(), most: 1000}, root)
	if want := `7:20: JSON cannot store Infinity; write null or a large number`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	root, err = readTOML(&builder{ctx: t.Context()}, []byte(strings.Replace(source, "inf", "-0.0", 1)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := appendJSON(writer{ctx: t.Context(), most: 1000}, root)
	if want := `{"z":1.10,"a":0.1234567890123456789012,"t":{"b":10e6,"c":{"d":[1.50,{"é":-0.0}]}},"a2":{}}`; err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestTOMLDepthIsLimited(t *testing.T) {
	dots := func(n int) string { return strings.TrimSuffix(strings.Repeat("a.", n), ".") }
	for source, ok := range map[string]bool{
		dots(maxDepth) + "=1": true, dots(maxDepth+1) + "=1": false,
		"[" + dots(maxDepth-1) + "]": true, "[" + dots(maxDepth) + "]": false,
		"[[" + dots(maxDepth-2) + "]]": true, "[[" + dots(maxDepth-1) + "]]": false,
		"a=" + nested(maxDepth-1): true, "a=" + nested(maxDepth): false,
		"[a.b]\nc.d=" + nested(maxDepth-4): true, "[a.b]\nc.d=" + nested(maxDepth-3): false,
		"a=[{b=" + nested(maxDepth-3) + "}]": true, "a=[{b=" + nested(maxDepth-2) + "}]": false,
		"a=" + nested(200_000): false,
	} {
		if _, err := readTOML(&builder{ctx: t.Context()}, []byte(source)); (err == nil) != ok {
			t.Errorf("%.20s... of %d bytes: error %v, want none: %v", source, len(source), err, ok)
		}
	}
}
