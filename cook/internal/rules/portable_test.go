package rules

import "testing"

func TestUnportable(t *testing.T) {
	for output, want := range map[string]string{
		"textures/größe 大.png.ktx2": "",
		"console.txt":               "",
		".hidden/a b.txt":           "",
		"con.txt":                   `is named like the device "con"`,
		"a/NUL":                     `is named like the device "NUL"`,
		"lpt1 .x/b":                 `is named like the device "lpt1 "`,
		"a/b.":                      "has a name that ends in a dot or a space",
		"a /b":                      "has a name that ends in a dot or a space",
		`a\b`:                       `has '\\' in its name`,
		"a:b":                       `has ':' in its name`,
		"a\nb":                      `has '\n' in its name`,
		"\xff":                      "is not UTF-8",
	} {
		if got := Unportable(output); got != want {
			t.Errorf("Unportable(%q) = %q, want %q", output, got, want)
		}
	}
}
