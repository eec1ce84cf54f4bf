package run

import (
	"crypto/x509"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

func tcpAddr(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 7357} }

func TestOtherMachinesAlwaysNeedAToken(t *testing.T) {
	for ip, loopback := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"0.0.0.0": false, "::": false, "192.168.1.5": false, "10.0.0.1": false, "fe80::1": false, "2001:db8::1": false,
	} {
		made, again := tokenFor(tcpAddr(ip), ""), tokenFor(tcpAddr(ip), "")
		if (made == "") != loopback || !loopback && made == again || made != "" && checkToken(made) != nil {
			t.Errorf("%s: tokens %q, %q", ip, made, again)
		}
		if got := tokenFor(tcpAddr(ip), "given"); got != "given" {
			t.Errorf("%s: token %q", ip, got)
		}
	}
	if tokenFor(&net.UnixAddr{Name: "x"}, "") == "" {
		t.Error("an unknown kind of address needs no token")
	}
}

func TestTokensFitIntoURLs(t *testing.T) {
	for token, ok := range map[string]bool{
		"": true, strings.Repeat("a", 16): true, "AZaz09-._~AZaz09": true,
		"short": false, strings.Repeat("a", 15): false, strings.Repeat("a", 15) + "/": false, strings.Repeat("a", 8) + "/" + strings.Repeat("a", 8): false,
		strings.Repeat("a", 16) + "%": false, strings.Repeat("ä", 16): false, strings.Repeat("a", 8) + " " + strings.Repeat("a", 8): false,
	} {
		if err := checkToken(token); (err == nil) != ok {
			t.Errorf("%q: %v", token, err)
		}
	}
}

func TestURLsHaveTheAddressesOfThisMachine(t *testing.T) {
	interfaces := []net.IP{
		net.ParseIP("127.0.0.1"), net.ParseIP("::1"), net.ParseIP("192.168.1.5"), net.ParseIP("169.254.1.1"), net.ParseIP("fe80::1"), net.ParseIP("fd00::2"),
	}
	for ip, want := range map[string][]string{
		"0.0.0.0": {"192.168.1.5"}, "::": {"192.168.1.5", "fd00::2"}, "192.168.1.5": {"192.168.1.5"}, "127.0.0.1": {"127.0.0.1"}, "::1": {"::1"},
	} {
		if got := hostsOf(tcpAddr(ip), interfaces); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", ip, got, want)
		}
	}
	if got := hostsOf(tcpAddr("0.0.0.0"), nil); !slices.Equal(got, []string{"127.0.0.1"}) {
		t.Errorf("without a network: %q", got)
	}
}

func TestCertificateIsValidForAllHosts(t *testing.T) {
	now := time.Now()
	made, err := newCertificate([]string{"192.168.1.5", "fd00::2"}, now)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(made.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "192.168.1.5", "fd00::2"} {
		for _, at := range []time.Time{now.Add(-time.Minute), now.Add(300 * 24 * time.Hour)} {
			if _, err := cert.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: at}); err != nil {
				t.Errorf("%s: %v", host, err)
			}
		}
	}
	if err := cert.VerifyHostname("192.168.1.6"); err == nil {
		t.Error("the certificate is valid for another machine")
	}
}
