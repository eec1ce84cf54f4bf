package data

import (
	"strings"
	"testing"
)

func TestBadlyIndentedYAMLIsRefused(t *testing.T) {
	for _, tc := range []struct{ source, want string }{
		{"flow: [a,\nb,\nc]\n", "2:1: the line is indented by 0 spaces, want at least 1"},
		{"- {a: 1,\n\tb: 2}\n", "2:1: a tab cannot indent; write at least 1 spaces"},
		{"- - \"x\n   y\"\n", ""},
		{"- - \"x\n  y\"\n", "2:3: the line is indented by 2 spaces, want at least 3"},
		{"a: 'it''s\nb'\n", "2:1: the line is indented by 0 spaces, want at least"},
		{"a: 'it''s\n\n\n b'\n", ""},
		{"a:\n  b: [1, 2,\n  3]\n", "3:3: the line is indented by 2 spaces, want at least 3"},
		{"a:\n  b: [1, \"]\", '}', # ]\n   3]\n", ""},
		{"[1,\n2,\n\t3]\n", ""},
		{"\"a\nb\"\n", ""},
		{"a: &x [1,\n 2]\nb:\n  c: *x\n", ""},
		{"a: &x\n  b: [1,\n   2]\n", ""},
		{"a: !!map\n  b: \"1\n   2\"\n", ""},
		{"a: &x\n  - [1,\n   2]\n", ""},
		{"a:\n- [1,\n 2]\n", ""},
		{"a: [it's, b's,\n c]\nd: 'x\n e'\n", ""},
		{"a: >\n \n  \n   \n # comment\n", "5:2: empty lines before this one have 3 spaces, but this line has 1"},
		{"a: |2\n     \n  b\n", ""},
		{"a: |\n  \n  b\n", ""},
		{"a: >\n   \nb: 1\n", ""},
		{"--- |\nb\n...\n---\nc\n", "2:1: text without indentation continues beyond the end of its document; indent the text"},
		{"--- |\n b\n...\n", ""},
		{"%YAML 1.2\n---\na: 1\n", ""},
		{"%YAML 1.1\n---\na: 1\n", ""},
		{"%YAML 1.2 # so it is\r\n--- {a: 1}\r\n", ""},
		{"# c\n%FOO bar\n%TAG !e! tag:yaml.org,2002:\n---\n!e!str a\n", ""},
		{"%YAML 2.0\n---\na\n", "1:1: YAML 2 is not supported, only YAML 1.2"},
		{"%YAML 1.2 foo\n---\na\n", "1:1: want %YAML 1.2, have"},
		{"%YAML 1.2#x\n---\na\n", "1:1: want %YAML 1.2, have"},
		{"%YAML 1.2\n%YAML 1.2\n---\na\n", "2:1: the document has a second %YAML"},
		{"%YAML 1.2\n", "1:1: the directive has no document; write --- on the next line"},
		{"%YAML 1.2\n...\n", "1:1: the directive has no document; write --- on the next line"},
		{"%YAML 1.2\na: 1\n", "1:1: the directive has no document; write --- on the next line"},
		{"a: |\n %YAML\n  x\nb: 1\n", ""},
		{"a: b\n%x: c\n", "2:1: found unexpected non-alphabetical character"},
	} {
		_, err := readYAML(&builder{ctx: t.Context()}, []byte(tc.source), false)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)) {
			t.Errorf("%q: got %v, want %q", tc.source, err, tc.want)
		}
	}
	// Each document may have its own directives.
	v, err := readYAML(&builder{ctx: t.Context()}, []byte("%YAML 1.2\n---\na\n...\n# c\n%YAML 1.2\n---\nb\n---\nc\n"), true)
	if err != nil || len(v.items) != 3 {
		t.Errorf("three documents: %v, %v", v, err)
	}
}

// For any input, the layout check must neither panic nor return early.
func FuzzYAMLLayout(f *testing.F) {
	for _, s := range []string{"a: [\"\\", "{'", "[a,\n'b''", "%YAML 1.2\n--- |\n\n...", "a: &x !!map {", "- >\n\n\n", "%", "&", "! '"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		if v, err := readYAML(&builder{ctx: t.Context()}, source, true); err != nil && strings.Contains(err.Error(), "gave up") && !strings.Contains(err.Error(), "yaml") {
			t.Errorf("%q: %v, %v", source, v, err)
		}
	})
}
