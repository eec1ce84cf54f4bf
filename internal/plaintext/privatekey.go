package plaintext

import (
	"bytes"
	"errors"
)

// PrivateKeyHead is the number of bytes that RefusePrivateKey needs from the start of a file.
const PrivateKeyHead = 512

// RefusePrivateKey returns an error if one of the first lines of a file begins a private key in
// PEM, PuTTY or OpenPGP format. Some programs write parameters or attributes before the key.
func RefusePrivateKey(head []byte) error {
	head = bytes.TrimPrefix(head[:min(len(head), PrivateKeyHead)], []byte(ByteOrderMark))
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if rest, ok := bytes.CutPrefix(line, []byte("-----BEGIN ")); ok && bytes.Contains(rest, []byte("PRIVATE KEY")) || bytes.HasPrefix(line, []byte("PuTTY-User-Key-File-")) {
			return errors.New("the file holds a private key; move it out of the asset directory, or write private_keys = true into a rule for it if it is to be shipped")
		}
	}
	return nil
}
