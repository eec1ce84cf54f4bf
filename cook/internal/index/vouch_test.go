package index

import (
	"errors"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// Damaged vouches, with any byte changed or missing, are read or refused without a panic.
func TestTornVouchesAreReadOrRefused(t *testing.T) {
	v := newVouching(hashing.Digest{}, []Vouch{{"pc", []string{"a", "b/c"}}, {"", nil}})
	good := v.appendVouches(nil)
	read := func(b []byte) error {
		var got vouching
		err := got.decodeVouches(b)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("error %v, want ErrDamaged", err)
		}
		for i := range got.vouches {
			got.vouches[i].eachPending(func(string) {})
		}
		return err
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if read(good[:i]) == nil && i != 0 && i != totalsSize+8 {
			t.Errorf("cut to %d bytes: read", i)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := append([]byte(nil), good...)
			bad[i] ^= flip
			read(bad)
		}
	}
	if read(append(good[:len(good):len(good)], good...)) == nil {
		t.Error("a repeated target is accepted")
	}
}
