package gltfcheck

import (
	"net/url"
	"testing"
)

// FuzzUnescape compares with the standard library, errors and their text included.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{"", "%", "a%2", "%2g", "100%.bin", "%41%6A%6a+b", "%%41", "a%e2%82%ac\xff", "é%zz"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		have, haveErr := unescape(text)
		want, wantErr := url.PathUnescape(text)
		if have != want || (haveErr == nil) != (wantErr == nil) || haveErr != nil && haveErr.Error() != wantErr.Error() {
			t.Errorf("%q: have %q, %v, want %q, %v", text, have, haveErr, want, wantErr)
		}
	})
}
