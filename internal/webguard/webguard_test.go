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
