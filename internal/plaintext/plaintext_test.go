package plaintext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "é\n\U0001f600": "", "a\né\xff": "2:2: byte 0xff is not UTF-8",
		"\xff\xfea\x00": "1:1: byte 0xff is not UTF-8; save the file as UTF-8, not UTF-16",
		"\xed\xa0\x80":  "1:1: byte 0xed is not UTF-8", "\ufffd": "",
	} {
		got := ""
		if err := CheckUTF8([]byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPosition checks that columns count characters, and that lines and columns count from 1. The
// end of the text has a position, too.
func TestPosition(t *testing.T) {
	text := []byte("é a\n\nb")
	for offset, want := range map[int]string{0: "1:1", 2: "1:2", 3: "1:3", 4: "1:4", 5: "2:1", 6: "3:1", 7: "3:2"} {
		if got := Position(text, offset); got != want {
			t.Errorf("%d: %s, want %s", offset, got, want)
		}
	}
}

func TestList(t *testing.T) {
	lines, err := List([]byte("\ufeff# head\r\n one \r\n\n#\ntwo # three"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for number, line := range lines {
		got[number] = line
	}
	if d := cmp.Diff(map[int]string{2: "one", 5: "two # three"}, got); d != "" {
		t.Error(d)
	}
	if _, err := List([]byte("a\n\xff")); err == nil {
		t.Error("no error for text that is not UTF-8")
	}
}

func TestIsList(t *testing.T) {
	png := func(line string) bool { return strings.HasSuffix(line, ".png") }
	for text, want := range map[string]bool{
		"": true, "# nothing yet\n\n": true, "*.png": true, "ui/\n": true, "hero.png\n": true, "!old.png\nui/*.png": true,
		"hero one\nhero two\n": false, "hero.png\nhero\n": true, "hero.png\na\nb\n": false,
		"//attack sound/a 0\n": false, "ui/*.png\n\x00": false, "\xff\xfeu\x00": false, "\x89PNG\r\n": false,
		"a.png\n\xc3": true, // the head ends within a character
	} {
		if got := IsList([]byte(text), png); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

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
