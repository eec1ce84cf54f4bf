package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	words := []string{"pcm", "at", "max_size", "quality", "srgb", "README"}
	for word, want := range map[string]string{
		"srbg": "srgb", "SRGB": "srgb", "maxsize": "max_size", "max-size": "max_size", "quilaty": "quality", "readme": "README",
		"q": "", "": "", "it": "at", "xy": "", "qualityyyy": "", "bc7": "", "ta": "at", strings.Repeat("x", 1<<20): "",
	} {
		if got := Word(word, words); got != want {
			t.Errorf("Word(%.20q) = %q, want %q", word, got, want)
		}
	}
}

// TestCertain checks that Certain returns a word only if the user cannot have meant another one.
// Short words and words with changed digits are never certain.
func TestCertain(t *testing.T) {
	words := []string{"pcm", "lut", "png", "srgb", "image", "quality", "max_size", "mobile1", "texture", "textures", "Color"}
	for word, want := range map[string]string{
		"bc7": "", "lit": "", "jpg": "", "srbg": "", "": "", // short words
		"PCM": "pcm", "Srgb": "srgb", "QUALITY": "quality", "color": "Color", // words that differ only in case
		"imaeg": "image", "images": "image", "imag": "", "imoge": "image", "maxsize": "max_size", "max-size": "max_size", "qualitey": "quality",
		"quilaty": "", "imgea": "", // words with two edits
		"mobile2": "", "mobile": "", "mobilee1": "mobile1", // words with changed digits
		"texturee": "", "texture": "texture", "textureX": "", "texure": "texture", // several words are equally near
	} {
		if got := Certain(word, words); got != want {
			t.Errorf("Certain(%q) = %q, want %q", word, got, want)
		}
	}
}
