package query

import "testing"

func TestDotID(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.png":     `"a/b.png"`,
		`say "x"`:     `"say \"x\""`,
		"bad\xff.txt": `"bad\\xff.txt"`,
		`bad\xff.txt`: `"bad\\\\xff.txt"`,
		"two\nlines":  `"two\\nlines"`,
		`end\`:        `"end\\\\"`,
	} {
		if got := dotID(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
