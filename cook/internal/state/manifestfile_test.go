package state

import (
	"errors"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
)

// A changed file of the manifest is reported, if its checksum can be compared.
func TestDamagedManifestIsNoted(t *testing.T) {
	d, _ := locked(t)
	for what, tt := range map[string]struct {
		name, checksum, now string
		err                 error
		noted               bool
	}{
		"as it was":             {"manifest.json", "xxh3", "as it was", nil, false},
		"edited":                {"manifest.json", "xxh3", "edited", nil, true},
		"unreadable":            {"manifest.json", "xxh3", "", errors.New("no"), true},
		"unknown":               {"other.json", "xxh3", "edited", nil, false},
		"of other sums":         {"manifest.json", "crc32", "as it was", nil, false},
		"edited, of other sums": {"manifest.json", "crc32", "edited", nil, false},
	} {
		known, ok := hashing.Lookup("xxh3")
		now, ok2 := hashing.Lookup(tt.checksum)
		if !ok || !ok2 {
			t.Fatal("no such checksum")
		}
		next := index.Empty().Anew(known.Name)
		next.PutFile(index.File{Path: d.files.absoluteName("manifest.json"), Role: index.Other, Sum: known.Sum128([]byte("as it was"))})
		last, err := next.Index()
		if err != nil {
			t.Fatal(err)
		}
		noted := false
		noteDamage(Commit{Last: last, Checksum: now, Note: func(string) { noted = true }}, d.files.absoluteName(tt.name), []byte(tt.now), tt.err)
		if noted != tt.noted {
			t.Errorf("%s: noted is %t", what, noted)
		}
	}
}
