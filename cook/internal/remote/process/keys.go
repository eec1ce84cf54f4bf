package process

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
)

// keys reads the signing key and the trusted keys. Errors never contain a key.
func (w *way) keys() (k share.Keys, err error) {
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

// privateKey reads a file as openssl genpkey -algorithm ed25519 makes it.
func privateKey(file string) (ed25519.PrivateKey, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("%s: no private key in PEM (PKCS #8); openssl genpkey -algorithm ed25519 makes one", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := key.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s: not an Ed25519 key; openssl genpkey -algorithm ed25519 makes one", file)
	}
	return private, nil
}

// publicKeys reads a file of one or more keys as openssl pkey -pubout makes them.
func publicKeys(file string) (all []ed25519.PublicKey, err error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := key.(ed25519.PublicKey)
		if block.Type != "PUBLIC KEY" || err != nil || !ok {
			return nil, fmt.Errorf("%s: not an Ed25519 public key; openssl pkey -in KEY -pubout makes one", file)
		}
		all = append(all, public)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no public key in PEM; openssl pkey -in KEY -pubout makes one", file)
	}
	return all, nil
}
