//go:build amd64 || arm64

package bc7

import (
	"testing"

	"github.com/woozymasta/bcn"
)

// read decodes blocks with an independent reader.
func read(t testing.TB, blocks []byte, w, h int) []byte {
	t.Helper()
	pix, err := bcn.DecodeBC7(blocks, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return pix
}
