package cookone

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/hashname"
)

// TestTokensAreFoundAnywhere checks that findTokens finds a token at every position of a file, and
// nothing else.
func TestTokensAreFoundAnywhere(t *testing.T) {
	const token, other = "0123456789abcdef", "fedcba9876543210"
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{token, other, "a", ".", "0123456789abcde", "\x00\xff", strings.Repeat("-", 4096), strings.Repeat("\x00", 256<<10-20)})
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")
		var want []place
		for at := 0; ; at++ {
			i := strings.Index(text[at:], token)
			if i < 0 {
				break
			}
			at += i
			want = append(want, place{int64(at), token})
		}
		got, err := findTokens(bytes.NewReader([]byte(text)), func(found string) bool { return found == token })
		if err != nil || !slices.Equal(got, want) || hashname.Length != len(token) {
			t.Fatalf("found %v, want %v; %v", got, want, err)
		}
	})
}
