package session

import (
	"errors"
	"strings"
	"testing"
)

func TestChecksum(t *testing.T) {
	for name, want := range map[string]string{
		"":            "33119477ede5dcd5e9716427681d5860",
		"xxh3":        "33119477ede5dcd5e9716427681d5860",
		"xxh128":      "33119477ede5dcd5e9716427681d5860",
		"xxh64":       "8cb841db40e6ae83",
		"crc32":       "cbf43926",
		"crc32c":      "e3069283",
		"murmur3":     "3c84645edb66cca499f8fac73a1ea105",
		"murmur3-128": "3c84645edb66cca499f8fac73a1ea105",
		"slice8":      "fc891918",
	} {
		f, err := checksum(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := f.Sum([]byte("123456789")).String(); got != want {
			t.Errorf("%q sums to %s, want %s", name, got, want)
		}
	}
	_, err := checksum("sha256")
	if config := (*ConfigError)(nil); !errors.As(err, &config) ||
		!strings.Contains(err.Error(), `unknown checksum "sha256"; have xxh3, xxh64, crc32, crc32c, murmur3, slice8`) {
		t.Errorf("sha256: %v", err)
	}
}
