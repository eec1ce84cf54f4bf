package plaintext

import (
	"strings"
	"testing"
)

func TestRefusePrivateKey(t *testing.T) {
	for _, head := range []string{
		"-----BEGIN PRIVATE KEY-----\nMII", "-----BEGIN RSA PRIVATE KEY-----\r\n", "-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n",
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "\xef\xbb\xbf-----BEGIN DSA PRIVATE KEY-----\n", "\n\n  -----BEGIN PRIVATE KEY-----\n",
		"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\n",
		"Bag Attributes\n    friendlyName: ci\nKey Attributes: <No Attributes>\n-----BEGIN PRIVATE KEY-----\n", "PuTTY-User-Key-File-3: ssh-ed25519\n",
	} {
		if RefusePrivateKey([]byte(head)) == nil {
			t.Errorf("%q is taken", head)
		}
	}
	for _, head := range []string{
		"", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----\n", "key = \"-----BEGIN PRIVATE KEY-----\"\n",
		"a private key begins with -----BEGIN PRIVATE KEY-----\n", strings.Repeat("x\n", 256) + "-----BEGIN PRIVATE KEY-----\n",
	} {
		if err := RefusePrivateKey([]byte(head)); err != nil {
			t.Errorf("%q: %v", head, err)
		}
	}
}
