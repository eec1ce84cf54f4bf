package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	words := []string{"at", "max_size", "quality", "srgb", "README"}
	for word, want := range map[string]string{
		"srbg": "srgb", "SRGB": "srgb", "maxsize": "max_size", "max-size": "max_size", "quilaty": "quality", "readme": "README",
		"q": "", "": "", "it": "at", "xy": "", "qualityyyy": "", strings.Repeat("x", 1<<20): "",
	} {
		if got := Word(word, words); got != want {
			t.Errorf("Word(%.20q) = %q, want %q", word, got, want)
		}
	}
}
