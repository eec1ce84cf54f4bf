package index

import (
	"encoding/hex"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// The bytes of an index and of its changes stay the same as long as Version does.
func TestFormatIsFixed(t *testing.T) {
	var got [2]string
	for i, b := range [][]byte{build(sample()), noChanges(mustOpen(t, build(sample())), newVouching(hashing.Digest{7}, []Vouch{{"pc", []string{"a"}}}))} {
		sum := seal(b)
		got[i] = hex.EncodeToString(sum[:])
	}
	if want := [2]string{"f948be64fe67019aee7cdc199f799316", "d538933b2e80a3aba7e40698f048b744"}; got != want {
		t.Errorf("sums %q, want %q; increase Version", got, want)
	}
}
