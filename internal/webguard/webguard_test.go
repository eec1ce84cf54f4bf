package webguard

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestForeignHostsAreNotOurs(t *testing.T) {
	local := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 2), Port: 80}
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "127.0.0.1:80": true, "127.9.9.9": true, "[::1]:80": true, "[::1]": true,
		"192.168.1.2:80": true, "Game.test:80": true,
		"": false, "192.168.1.3": false, "evil.test": false, "localhost.evil.test": false, "127.0.0.1.evil.test": false, "0.0.0.0": false,
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.Host = host
		req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local))
		if got := OurName(req, []string{"game.test"}); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}

func TestOtherOriginsAreFromElsewhere(t *testing.T) {
	for site, want := range map[string]bool{"": false, "none": false, "same-origin": false, "same-site": true, "cross-site": true, "x": true} {
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("Sec-Fetch-Site", site)
		if got := FromElsewhere(req); got != want {
			t.Errorf("%q: %t", site, got)
		}
	}
}

func TestPagesOfOtherMachinesAreNotOurs(t *testing.T) {
	local := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 2), Port: 80}
	for _, test := range []struct {
		origin, site string
		want         bool
	}{
		{"", "", true},
		{"", "same-origin", true},
		{"", "same-site", false}, // image or script that is requested without CORS
		{"", "cross-site", false},
		{"http://localhost:5173", "cross-site", true},
		{"https://127.0.0.1", "same-site", true},
		{"http://[::1]:5173", "", true},
		{"http://192.168.1.2:5173", "same-site", true},
		{"http://192.168.1.3:5173", "cross-site", false},
		{"https://evil.test", "cross-site", false},
		{"https://localhost.evil.test", "", false},
		{"https://evil.test@localhost.evil.test", "", false},
		{"null", "cross-site", false},
		{"http://%zz", "", false},
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local))
		for name, value := range map[string]string{"Origin": test.origin, "Sec-Fetch-Site": test.site} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		if origin, ok := OurPage(req); ok != test.want || origin != test.origin {
			t.Errorf("%+v: %q, %t", test, origin, ok)
		}
	}
}
