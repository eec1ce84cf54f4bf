package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/assetcook/assetcook/internal/frontend"
)

// FuzzCheck checks hostile lists: nothing panics, no output controls a terminal, and the exit
// status is 0 only if a file matched and no line named another that did not.
func FuzzCheck(f *testing.F) {
	f.Chdir(f.TempDir())
	if err := os.WriteFile("a", []byte("123456789"), 0o666); err != nil {
		f.Fatal(err)
	}
	for _, list := range []string{
		md5 + "  a\n" + sha + "  a\n" + crc + "  a\n",
		md5 + "  a" + md5 + "  a\n", "MD5 (a) = " + md5 + "MD5 (a) = " + md5,
		"\ufeff" + xx128 + "\ta\r\n\ufeff" + sha512 + " *a", "\xff\xfea\x00",
		`\` + xx64 + `  a\nb` + "\n" + md5 + "  \x1b[2J\n", `{"name":"a","algorithm":"md5","digest":"` + md5 + `"}`,
		md5 + "  -\n", "# x\n\n", md5 + "  " + strings.Repeat("a", maxLine), md5[:20],
	} {
		f.Add(list, true)
		f.Add(list, false)
	}
	f.Fuzz(func(t *testing.T, list string, ignore bool) {
		if strings.ContainsAny(list, "/u\\") { // stays in the directory; "u" as in \u002f of JSON
			return
		}
		args := []string{"-c", "-", "-warn"}
		if ignore {
			args = append(args, "-ignore-missing")
		}
		code, stdout, stderr := runs(context.Background(), list, args...)
		for _, text := range []string{stdout, stderr} {
			for _, r := range text {
				if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
					t.Fatalf("%q prints %q", list, text)
				}
			}
		}
		failed := strings.Contains(stdout, ": FAILED")
		if code != frontend.OK && code != frontend.Failed || code == frontend.OK && (failed || !strings.Contains(stdout, ": OK\n")) {
			t.Fatalf("%q: exit %d, %q, %q", list, code, stdout, stderr)
		}
	})
}
