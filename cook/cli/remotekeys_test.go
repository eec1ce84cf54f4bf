package cli

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// keys NAME ... writes NAME.key and NAME.pub as openssl does.
func writeKeys(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		seed := sha256.Sum256([]byte(name))
		key := ed25519.NewKeyFromSeed(seed[:])
		private, err := x509.MarshalPKCS8PrivateKey(key)
		ts.Check(err)
		public, err := x509.MarshalPKIXPublicKey(key.Public())
		ts.Check(err)
		for ending, block := range map[string]*pem.Block{".key": {Type: "PRIVATE KEY", Bytes: private}, ".pub": {Type: "PUBLIC KEY", Bytes: public}} {
			ts.Check(os.WriteFile(ts.MkAbs(name+ending), pem.EncodeToMemory(block), 0o600))
		}
	}
}
