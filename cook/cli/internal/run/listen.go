package run

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// listenOptions say where a server listens, and who may connect.
type listenOptions struct {
	addr, token string
	tls         bool
	cert, key   string // files in PEM
}

func (o *listenOptions) listenFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.addr, "listen", "127.0.0.1:7357", "`address` to serve at: a port, or host:port (without a host: this machine only; 0.0.0.0 lets other machines connect); port 0 selects a free port")
	fs.StringVar(&o.token, "token", "", fmt.Sprintf("`text` that clients must send, at least %d letters and digits (default: none on this machine, a new one for other machines)", minToken))
	fs.BoolVar(&o.tls, "tls", false, "encrypt with a certificate that is made for this start; its fingerprint is printed")
	fs.StringVar(&o.cert, "tls-cert", "", "encrypt with the certificate in this `file`, in PEM")
	fs.StringVar(&o.key, "tls-key", "", "`file` with the key of -tls-cert, in PEM")
}

// A place is an open listener, and what clients must know to connect.
type place struct {
	listener net.Listener
	token    string // "" if only this machine can connect, without a token
	cert     []byte // certificate in DER; nil without TLS
	hosts    []string
}

// openListener listens as the flags say.
func (o *listenOptions) openListener() (*place, error) {
	if err := checkToken(o.token); err != nil {
		return nil, err
	}
	if (o.cert == "") != (o.key == "") {
		return nil, errors.New("-tls-cert and -tls-key belong together; give both, or only -tls")
	}
	var loaded *tls.Certificate
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, fmt.Errorf("-tls-cert %s, -tls-key %s: %w", pathname.Show(o.cert), pathname.Show(o.key), err)
		}
		loaded = &pair
	}
	l, err := net.Listen("tcp", frontend.ListenAddress(o.addr))
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with -listen", err)
	}
	at := &place{listener: l, token: tokenFor(l.Addr(), o.token), hosts: hostsOf(l.Addr(), interfaceIPs())}
	if loaded == nil && o.tls {
		if loaded, err = newCertificate(at.hosts, time.Now()); err != nil {
			l.Close()
			return nil, err
		}
	}
	if loaded != nil {
		at.cert = loaded.Certificate[0]
		at.listener = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*loaded}, NextProtos: []string{"h2", "http/1.1"}})
	}
	return at, nil
}

// minToken is the minimum length of a token.
const minToken = 16

// checkToken accepts tokens that are hard to guess and that need no escapes in a URL.
func checkToken(token string) error {
	other := strings.Trim(token, "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if token != "" && (len(token) < minToken || other != "") {
		return fmt.Errorf("-token: want at least %d letters, digits or any of -._~; without -token, cook makes a token", minToken)
	}
	return nil
}

// tokenFor returns the token that clients of an address must send. If other machines can connect,
// there is always a token.
func tokenFor(addr net.Addr, given string) string {
	if given == "" && !isLoopbackAddr(addr) {
		return rand.Text()
	}
	return given
}

func isLoopbackAddr(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostsOf returns the IP addresses at which clients reach a listener. interfaces are the addresses
// of this machine.
func hostsOf(addr net.Addr, interfaces []net.IP) (hosts []string) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		host, _, _ := net.SplitHostPort(addr.String())
		return []string{host}
	}
	only4 := tcp.IP.To4() != nil
	for _, ip := range interfaces {
		if ip.IsGlobalUnicast() && (ip.To4() != nil || !only4) {
			hosts = append(hosts, ip.String())
		}
	}
	if len(hosts) == 0 {
		hosts = []string{"127.0.0.1"}
	}
	return hosts
}

// interfaceIPs returns the IP addresses of this machine.
func interfaceIPs() (ips []net.IP) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, addr := range all {
		if network, ok := addr.(*net.IPNet); ok {
			ips = append(ips, network.IP)
		}
	}
	return ips
}

// certificateTime is the validity of a certificate. Some systems refuse longer ones.
const certificateTime = 365 * 24 * time.Hour

// newCertificate makes a certificate that signs itself.
func newCertificate(hosts []string, now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "cook serve"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateTime), // the clock of the device may be slow
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if name, err := os.Hostname(); err == nil {
		template.DNSNames = append(template.DNSNames, name, name+".local")
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// urls returns the URLs that clients open, with the token.
func (p *place) urls() (all []string) {
	scheme, end := "http", "/"
	if p.cert != nil {
		scheme = "https"
	}
	if p.token != "" {
		end = "/@" + p.token + "/"
	}
	_, port, _ := net.SplitHostPort(p.listener.Addr().String())
	for _, host := range p.hosts {
		all = append(all, scheme+"://"+net.JoinHostPort(host, port)+end)
	}
	return all
}

// fingerprint returns the SHA-256 hash of a certificate, as browsers show it.
func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

// printURLs prints where clients connect.
func (p *place) printURLs(c *cmdline.Call, target string) {
	of := ""
	if target != "" {
		of = " the target " + pathname.Show(target)
	}
	for _, url := range p.urls() {
		fmt.Fprintf(c.Stderr, "cook: serving%s at %s\n", of, url)
	}
	switch {
	case p.cert != nil:
		fmt.Fprintf(c.Stderr, "cook: SHA-256 fingerprint of the certificate: %s\n", fingerprint(p.cert))
	case !isLoopbackAddr(p.listener.Addr()):
		c.Warn("everybody in the network can read the token and the files on their way; -tls encrypts them")
	}
}
