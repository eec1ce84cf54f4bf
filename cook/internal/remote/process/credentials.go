package process

import (
	"cmp"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/pathname"
)

// maxCredentials limits the size of a credentials file.
const maxCredentials = 1 << 20

// authorization returns the value of the Authorization header, or "" for none. Credentials come
// from files or the environment, and never from the command line, which other users can see.
func (w *way) authorization() (string, error) {
	token, err := secret(w.token, "COOK_REMOTE_TOKEN")
	if err != nil {
		return "", err
	}
	basic, err := secret(w.basic, "COOK_REMOTE_BASIC")
	switch {
	case err != nil:
		return "", err
	case token != "" && basic != "":
		return "", errors.New("both a token and user:password are given; choose one")
	case token != "":
		return "Bearer " + token, nil
	case basic != "" && !strings.Contains(basic, ":"):
		return "", errors.New("the credentials are not of the form user:password")
	case basic != "":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(basic)), nil
	}
	return "", nil
}

// hostsVar is the environment variable that lists hosts, separated by commas. These hosts may
// receive secrets from the environment even if a cook.toml chooses the server. A host without a
// port allows all of its ports.
const hostsVar = "COOK_REMOTE_HOSTS"

// checkSecretHost refuses a server that a cook.toml chooses, if the environment has secrets but
// hostsVar does not list the server's host. Otherwise a cloned project could obtain the secrets. The
// host of a directory is localhost, and the host of a bucket is the name of the bucket. keys names
// the variable or the file with the keys of a bucket; "" means none.
func (w *way) checkSecretHost(address *url.URL, keys string) error {
	if w.project == "" {
		return nil
	}
	name := cmp.Or(address.Hostname(), "localhost")
	for host := range strings.SplitSeq(os.Getenv(hostsVar), ",") {
		if host = strings.TrimSpace(host); host != "" && (strings.EqualFold(host, name) || strings.EqualFold(host, address.Host)) {
			return nil
		}
	}
	refuse := func(secret string) error {
		return fmt.Errorf("%s is not used, because %s chooses this server; set %s=%s to use it there, or name the server by -remote or COOK_REMOTE",
			secret, pathname.Show(w.project), hostsVar, name)
	}
	if keys != "" {
		return refuse(keys)
	}
	tokens, certs := usesToken(address), address.Scheme != "file"
	from := func(variable, file string) bool { return file == os.Getenv(variable) }
	for _, secret := range [...]struct {
		variable string
		used     bool
	}{
		{"COOK_REMOTE_TOKEN", tokens && w.token == ""},
		{"COOK_REMOTE_BASIC", tokens && w.basic == ""},
		{"COOK_REMOTE_TOKEN_FILE", tokens && from("COOK_REMOTE_TOKEN_FILE", w.token)},
		{"COOK_REMOTE_BASIC_FILE", tokens && from("COOK_REMOTE_BASIC_FILE", w.basic)},
		{"COOK_REMOTE_CERT", certs && from("COOK_REMOTE_CERT", w.cert)},
		{"COOK_REMOTE_KEY", certs && from("COOK_REMOTE_KEY", w.key)},
		{"COOK_REMOTE_SIGN_KEY", from("COOK_REMOTE_SIGN_KEY", w.sign)},
	} {
		if secret.used && os.Getenv(secret.variable) != "" {
			return refuse(secret.variable)
		}
	}
	return nil
}

// isBucket reports whether an address names a bucket.
func isBucket(address *url.URL) bool { return address.Scheme == "s3" || address.Scheme == "gs" }

// usesToken reports whether requests to a server may contain a token or a password.
func usesToken(address *url.URL) bool { return address.Scheme != "file" && address.Scheme != "s3" }

// secret returns the content of a file or, if no file is given, of an environment variable. Errors
// never contain the secret.
func secret(file, variable string) (string, error) {
	text := os.Getenv(variable)
	if file != "" {
		data, err := readSecretFile(file)
		if err != nil {
			return "", err
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("the credentials in %s have more than one line", cmp.Or(file, variable))
	}
	return text, nil
}

func readSecretFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCredentials {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", file, maxCredentials)
	}
	return os.ReadFile(file)
}

// tls returns the TLS configuration of connections.
func (w *way) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if w.ca != "" {
		data, err := readSecretFile(w.ca)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s: the file contains no certificate in PEM", w.ca)
		}
	}
	if (w.cert == "") != (w.key == "") {
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	if w.cert != "" {
		pair, err := tls.LoadX509KeyPair(w.cert, w.key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readSigningKeys reads the signing key and the trusted keys. Errors never contain a key.
func (w *way) readSigningKeys() (k share.Keys, err error) {
	if w.sign != "" {
		if k.Sign, err = privateKey(w.sign); err != nil {
			return k, err
		}
	}
	for _, file := range w.trust {
		public, err := publicKeys(file)
		if err != nil {
			return k, err
		}
		k.Trust = append(k.Trust, public...)
	}
	return k, nil
}

// privateKey reads a file in the format of openssl genpkey -algorithm ed25519.
func privateKey(file string) (ed25519.PrivateKey, error) {
	data, err := readSecretFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("%s has no private key in PEM (PKCS #8); openssl genpkey -algorithm ed25519 makes one", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := key.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s is not an Ed25519 key; openssl genpkey -algorithm ed25519 makes one", file)
	}
	return private, nil
}

// publicKeys reads a file of one or more keys in the format of openssl pkey -pubout.
func publicKeys(file string) (all []ed25519.PublicKey, err error) {
	data, err := readSecretFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := key.(ed25519.PublicKey)
		if block.Type != "PUBLIC KEY" || err != nil || !ok {
			return nil, fmt.Errorf("%s is not an Ed25519 public key; openssl pkey -in KEY -pubout makes one", file)
		}
		all = append(all, public)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no public key in PEM; openssl pkey -in KEY -pubout makes one", file)
	}
	return all, nil
}
