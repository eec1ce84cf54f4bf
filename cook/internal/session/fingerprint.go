package session

import (
	"fmt"
	"os"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
)

// identify computes the fingerprint of a new session, and keeps the rule file that it covers.
func identify(s *Session) {
	s.Basis.Fingerprint, s.Basis.config = hashing.Digest{}, nil
	program, err := os.Executable()
	if err != nil {
		return
	}
	info, err := os.Stat(program)
	if err != nil || s.Out == nil {
		return
	}
	h := hashing.NewKey("assetcook whole 2")
	stamp := scan.StampOf(info)
	h.String("program", program)
	for _, v := range [...]int64{stamp.Size, stamp.MTime, stamp.CTime, int64(stamp.Inode), int64(stamp.Device)} {
		h.Int64("stamp", v)
	}
	h.String("assets", s.Assets.Name())
	h.String("out", s.Out.Name())
	h.String("checksum", s.Basis.Checksum.Name)
	for _, dir := range ownFolders(s) {
		h.String("not scanned", dir)
	}
	if s.Place.IDs {
		h.String("assets have", "IDs")
	}
	for _, name := range s.Basis.Recipes.Names() {
		r, _ := s.Basis.Recipes.Lookup(name)
		h.String("recipe", fmt.Sprintf("%s %d %q %q", r.Name, r.Version, r.Extensions, r.Hints))
	}
	if s.Place.Config != "" {
		data, err := readConfig(s.Place.Config)
		if err != nil {
			return
		}
		s.Basis.config = data
		h.String("config", s.Place.Config)
		h.Digest("rules", hashing.DigestOf(data))
	}
	s.Basis.Fingerprint = h.Sum()
}

// checksums maps the values of Options.Checksum to the names in the registry and the index, the
// default first. The name xxh3 has always meant the 128-bit variant: in a set of millions, 64
// bits would miss a change too often.
var checksums = [...]struct{ name, function string }{
	{"xxh3", "xxh128"},
	{"xxh64", "xxh64"},
	{"crc32", "crc32"},
	{"crc32c", "crc32c"},
	{"murmur3", "murmur3-128"},
	{"slice8", "slice8"},
	{"xxh128", "xxh128"},
	{"murmur3-128", "murmur3-128"},
}

// Checksums lists the values of Options.Checksum, the default first.
func Checksums() (names []string) {
	for _, c := range checksums {
		names = append(names, c.name)
	}
	return names
}

// checksum returns the function that a value of Options.Checksum names.
func checksum(name string) (hashing.Func, error) {
	if name == "" {
		name = checksums[0].name
	}
	for _, c := range checksums {
		if c.name == name {
			f, _ := hashing.Lookup(c.function)
			return f, nil
		}
	}
	return hashing.Func{}, Configf("unknown checksum %q; have %s", name, strings.Join(Checksums(), ", "))
}
