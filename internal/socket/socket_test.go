package socket

import (
	"errors"
	"io/fs"
	"net/netip"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"7070":                    "127.0.0.1:7070",
		"0":                       "127.0.0.1:0",
		":65535":                  "127.0.0.1:65535",
		"localhost:1":             "127.0.0.1:1",
		"0.0.0.0:7070":            "0.0.0.0:7070",
		"[::1]:7070":              "[::1]:7070",
		"[::]:0":                  "[::]:0",
		"[::ffff:127.0.0.1]:7070": "127.0.0.1:7070",
	} {
		if got, err := parseAddress(addr); err != nil || got != netip.MustParseAddrPort(want) {
			t.Errorf("%q: %v, %v", addr, got, err)
		}
	}
	for _, addr := range []string{
		"", ":", "x", "+1", "-1", "65536", "1:", "example.com:7070", "127.0.0.1", "127.1:7070", "::1", "::1:7070",
		"[127.0.0.1]:7070", "[::1:7070", "::1]:7070", "[]:7070", "[::1]7070", "[fe80::1%lo]:7070", "0.0.0.0:7070 ", "\x00:1",
	} {
		if got, err := parseAddress(addr); !errors.Is(err, errAddress) {
			t.Errorf("%q: %v, %v", addr, got, err)
		}
		var at *fs.PathError
		if l, err := ListenTCP(addr); l != nil || !errors.As(err, &at) || at.Path != addr {
			t.Errorf("listening at %q: %v, %v", addr, l, err)
		}
	}
}
