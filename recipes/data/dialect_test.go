package data

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// utf16le encodes a text as spreadsheets do for "Unicode text".
func utf16le(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

func TestSeparatorOfTableIsDetected(t *testing.T) {
	const want = `[{"id":"1","hp":"100"},{"id":"2","hp":"200"}]`
	for _, tc := range []struct {
		path, source string
		o            map[string]any
		want         string
	}{
		{"a.csv", "id,hp\r1,100\r2,200\r", nil, want},
		{"a.csv", "id,hp\r1,100\r2,200", nil, want},
		{"a.csv", "id,hp\r1,100\r2,200\r\n", nil, want},
		{"a.csv", "id,hp\r1,100\n2,200\r\n", nil, want},
		{"a.tsv", "id\thp\r1\t100\r2\t200\r", nil, want},
		{"a.csv", "id,hp\r1,\"a\rb\"\r", nil, `[{"id":"1","hp":"a\nb"}]`},
		{"a.csv", "id,hp\n1,\"a\rb\"\n", nil, `[{"id":"1","hp":"a\rb"}]`},
		{"a.csv", "id;hp\n1;100\n2;200\n", nil, want},
		{"a.csv", "id\thp\n1\t100\n2\t200\n", nil, want},
		{"a.csv", "id|hp\n1|100\n2|200\n", nil, want},
		{"a.csv", "sep=;\r\nid;hp\r\n1;100\r\n2;200\r\n", nil, want},
		{"a.csv", "\"sep=|\"\nid|hp\n1|100\n2|200\n", nil, want},
		{"a.csv", "\ufeffSEP=,\nid,hp\n1,100\n2,200\n", nil, want},
		{"a.csv", utf16le("id\thp\r\n1\t100\r\n2\t200\r\n"), nil, want},
		{"a.csv", "\xfe\xff\x00i\x00d\x00\n\xd8\x3d\xde\x00", nil, `[{"id":"😀"}]`},
		{"a.tsv", "id;hp\n1;100\n2;200\n", map[string]any{"separator": ";"}, want},
		{"a.csv", "Karts\nof 2026\nid,hp\n1,100\n2,200\n", map[string]any{"skip_lines": int64(2)}, want},
		{"a.csv", "name;mass\nA;1,5\nB;-2\n", map[string]any{"decimal": ",", "columns": map[string]any{"mass": "number"}}, `[{"name":"A","mass":1.5},{"name":"B","mass":-2}]`},
		{"a.csv", "id;hp\n1;\"a;b\nc\"\n", nil, `[{"id":"1","hp":"a;b\nc"}]`},
		{"a.csv", "id,list\na,1;2\nb,3;4\n", nil, `[{"id":"a","list":"1;2"},{"id":"b","list":"3;4"}]`},
		{"a.csv", "text\nhello; world\nfoo\n", nil, `[{"text":"hello; world"},{"text":"foo"}]`},
		{"a.csv", "a;b\n1;2\n", map[string]any{"separator": ","}, `[{"a;b":"1;2"}]`},
	} {
		res := cook(t, map[string]string{tc.path: tc.source}, tc.path, tc.o)
		if res.Err != nil || string(res.Outputs[0]) != tc.want {
			t.Errorf("%q %v: error %v, got %s\nwant %s", tc.source, tc.o, res.Err, res.Outputs, tc.want)
		}
	}
}

func TestUncertainTablesAreRefused(t *testing.T) {
	for _, tc := range []struct {
		path, source string
		o            map[string]any
		want         string
	}{
		{"a.csv", "a;b,c\n1;2,3\n", nil, `1:1: the rows have 2 columns between commas and 2 between semicolons; set separator = "," or separator = ";"`},
		{"a.csv", "name;mass,kg\nA;1\n", nil, `1:1: the first row has 2 cells between semicolons; set separator = ";" if they are cells`},
		{"a.csv", "a;b\n1;2;3\n", nil, `1:1: the first row has 2 cells between semicolons`},
		{"a.csv", "Karts\nid;hp\n1;2\n", nil, `1:1: the first row has one cell, the others 2 between semicolons; set skip_lines`},
		{"a.csv", "Karts\nid,hp\n1,2\n", nil, `1:1: the first row has one cell, the others 2 between commas; set skip_lines`},
		{"a.tsv", "id;hp\n1;2\n", nil, `1:1: the rows have no tabs, but 2 columns between semicolons; set separator = ";"`},
		{"a.csv", "i\x00d\x00", nil, "1:2: the table has a zero byte and may be UTF-16 without a byte order mark; save it as UTF-8"},
		{"a.csv", "id\nstra\xdfe\n", nil, `2:5: byte 0xdf is not UTF-8; save the table as UTF-8 ("CSV UTF-8" in spreadsheets)`},
		{"a.csv", "\xff\xfea", nil, "1:1: the file has an odd number of bytes"},
		{"a.csv", "\xff\xfea\x00\n\x00\x00\xd8", nil, "2:1: a UTF-16 character is incomplete; save the file as UTF-8"},
		{"a.csv", "m\n\"1,5\"\n", map[string]any{"columns": map[string]any{"m": "number"}}, `2:1: "1,5" has a decimal comma; set decimal = ","`},
		{"a.csv", "a,b\n1,2\n", map[string]any{"skip_lines": int64(5)}, "skip_lines = 5 skips the whole table; lower it"},
		{"a.csv", "t\n\na,b\n1,2,3\n", map[string]any{"skip_lines": int64(1)}, "4:1: the row has 3 cells, but the first row has 2; if lines come before the header, set skip_lines"},
		{"a.csv", "a\n", map[string]any{"separator": "x"}, `separator: want "auto", ",", ";", "\t" or "|", have "x"`},
		{"a.csv", "a\n", map[string]any{"decimal": "x"}, `decimal: want "." or ",", have "x"`},
	} {
		res := cook(t, map[string]string{tc.path: tc.source}, tc.path, tc.o)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%q: error %v, %s\nwant %s", tc.source, res.Err, res.Outputs, tc.want)
		}
	}
}

// The test writes a table in each dialect. The results must be equal, unless the table is refused.
func TestDialectsOfOneTableAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(2, 4).Draw(t, "columns")
		rows := rapid.IntRange(1, 4).Draw(t, "rows")
		cell := rapid.StringMatching(`[a-z0-9,;| é]{0,4}`)
		var table [][]string
		for r := range rows {
			var row []string
			for c := range columns {
				if r == 0 {
					row = append(row, string(rune('a'+c)))
				} else {
					row = append(row, cell.Draw(t, "cell"))
				}
			}
			table = append(table, row)
		}
		write := func(separator, end string) string {
			var b strings.Builder
			for _, row := range table {
				for i, c := range row {
					if i > 0 {
						b.WriteString(separator)
					}
					if strings.Contains(c, separator) || rapid.Bool().Draw(t, "quoted") {
						c = `"` + c + `"`
					}
					b.WriteString(c)
				}
				b.WriteString(end)
			}
			return b.String()
		}
		want := read(t, write(",", "\n"), map[string]any{"separator": ","})
		for _, separator := range []string{",", ";", "|", "\t"} {
			for _, end := range []string{"\n", "\r", "\r\n"} {
				text := write(separator, end)
				if rapid.Bool().Draw(t, "UTF-16") {
					text = utf16le(text)
				}
				if got := read(t, text, map[string]any{"separator": separator}); got != want {
					t.Fatalf("%q: %s, want %s", text, got, want)
				}
				if got := read(t, text, nil); got != want && got != "refused" {
					t.Fatalf("%q without separator: %s, want %s", text, got, want)
				}
			}
		}
	})
}

// read returns the JSON of a table, or "refused".
func read(t *rapid.T, source string, o map[string]any) string {
	c := Recipe().New().(*dataOptions)
	if s, ok := o["separator"]; ok {
		c.Separator = s.(string)
	}
	root, err := c.parseText(&builder{ctx: t.Context()}, "csv", []byte(source))
	if err != nil {
		return "refused"
	}
	out, err := c.encodeTree(writer{ctx: t.Context(), most: 1 << 20}, root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The result must have every letter and digit of the table, unless the table is refused.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"id,hp\r1,100\r", "sep=;\nid;hp\n1;2\n", utf16le("a\tb\n1\t2\n"), "T\na|b\n1|2\n", "\"a\"\"b\",c\n\n;\n", "\r", "sep=,", "\"\r\n"} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, tabs bool) {
		c := Recipe().New().(*dataOptions)
		c.Header = false
		in := "csv"
		if tabs {
			in = "tsv"
		}
		root, err := c.parseText(&builder{ctx: t.Context()}, in, text)
		if err != nil {
			return
		}
		letters := func(s string) (n int) {
			for _, r := range s {
				if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
					n++
				}
			}
			return n
		}
		have := 0
		for _, row := range root.items {
			for _, cell := range row.items {
				have += letters(cell.text)
			}
		}
		decoded, err := decodeTable(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		want := letters(string(decoded))
		if excelSeparator().Match(decoded) {
			want = have // Excel's separator line is not part of the table
		}
		if have != want {
			t.Errorf("%q: %d letters and digits of %d", decoded, have, want)
		}
	})
}
