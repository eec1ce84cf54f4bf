package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/frontend"
)

const (
	crc    = "cbf43926"
	xx64   = "8cb841db40e6ae83"
	xx3    = "72dcb18b67a17dff"
	xx128  = "33119477ede5dcd5e9716427681d5860"
	sha    = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
	md5    = "25f9e794323b453885f5181f1b624d0b"
	sha1   = "f7c3bc1d808e04732adf679965ccc34ca7ae3441"
	sha512 = "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85"
	blake3 = "b7d65b48420d1033cb2595293263b6f72eabee20d55e699d0df1973b3c9deed1"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		line     string
		a        string
		fn, name string
	}{
		{sha + "  a", "sha256", "sha256", "a"},
		{sha + " *a", "sha256", "sha256", "a"},
		{sha + "  a\r", "sha256", "sha256", "a"},
		{strings.ToUpper(sha) + "  a", "sha256", "sha256", "a"},
		{" \t" + sha + "  a", "sha256", "sha256", "a"},
		{`\` + sha + `  new\nline\\\r`, "sha256", "sha256", "new\nline\\\r"},
		{` \` + sha + `  new\nline`, "sha256", "sha256", "new\nline"},
		{sha + `  new\nline`, "sha256", "sha256", `new\nline`},
		{sha + "   two leading", "sha256", "sha256", " two leading"},
		{blake3 + "  a", "blake3", "blake3", "a"},
		{crc + "  a", "crc32", "crc32", "a"},

		// Tags override -a.
		{"SHA256 (a) = " + sha, "xxh64", "sha256", "a"},
		{"SHA256 (a) = " + strings.ToUpper(sha) + "\r", "", "sha256", "a"},
		{`\SHA256 (new\nline) = ` + sha, "", "sha256", "new\nline"},
		{"SHA256(a)= " + sha, "", "sha256", "a"},
		{"SHA2-256(a)= " + sha, "", "sha256", "a"},
		{"BLAKE3 (a) = " + blake3, "", "blake3", "a"},
		{"SHA256 (a) = 00) = " + sha, "", "sha256", "a) = 00"},
		{"sha256 (a) = " + sha, "", "sha256", "a"},
		{"CRC32-BZIP2 (a) = fc891918", "", "crc32-bzip2", "a"},
		{"XXH3 (a) = " + xx3, "", "xxh3", "a"},
		{"XXH3_LE (a) = ff7da1678bb1dc72", "", "xxh3", "a"},
		{"XXH64_LE (a) = 83aee640db41b88c", "", "xxh64", "a"},
		{"XXH3_" + xx3 + "  a", "", "xxh3", "a"},
		{"XXH3_" + xx3 + "  (a)", "xxh64", "xxh3", "(a)"},
		{`\XXH3_` + xx3 + `  a\\`, "", "xxh3", `a\`},

		{xx64 + "  a", "", "xxh64", "a"},
		{xx128 + "  a", "", "xxh128", "a"},
		{xx3 + "  a", "xxh3", "xxh3", "a"},
		{"937bad67  a", "", "xxh32", "a"},
		{sha + "  a", "", "sha256", "a"},
		{sha1 + " *a", "", "sha1", "a"},
		{sha512 + "  a", "", "sha512", "a"},
		{"\ufeff" + sha + "  a", "", "sha256", "a"},

		{sha + " a", "sha256", "sha256", "a"},
		{sha + "\ta b", "sha256", "sha256", "a b"},
		{sha + "\t*a", "sha256", "sha256", "a"},

		{"MD5 (a) = " + md5, "", "md5", "a"},
		{"SHA1(a)= " + sha1, "", "sha1", "a"},
		{"SHA2-512(a)= " + sha512, "", "sha512", "a"},

		{`{"name":"a","algorithm":"crc32","digest":"` + crc + `","size":9}`, "", "crc32", "a"},
		{`{"digest":"` + crc + `","more":[{}],"algorithm":"CRC32","name":"a\nb"}` + "\r", "", "crc32", "a\nb"},
		{`{"name":"\ufffd","name_base64":"/w==","algorithm":"crc32","digest":"` + crc + `"}`, "", "crc32", "\xff"},
	} {
		d := dialect{}
		if c.a != "" {
			d.fn = lookupFunction(c.a)
		}
		got, err := d.parseLine([]byte(c.line))
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if want := of(t, c.fn, c.name); got.fn != want.fn || got.name != want.name || got.digest != want.digest {
			t.Errorf("%q: %s of %q, %x, want %s of %q, %x",
				c.line, got.fn.Name, got.name, got.sum(), want.fn.Name, want.name, want.sum())
		}
		if guess := c.a == "" && isHex([]byte(strings.TrimPrefix(c.line, "\ufeff")[:8])); got.guessed != guess {
			t.Errorf("%q: guessed %v, want %v", c.line, got.guessed, guess)
		}
	}
}

func TestParseLineWithNUL(t *testing.T) {
	d := dialect{zero: true}
	e, err := d.parseLine([]byte(xx64 + "  a\nb\r"))
	if err != nil || e.name != "a\nb\r" {
		t.Errorf("%q, %v", e.name, err)
	}
	if e, err := d.parseLine([]byte(`\` + xx64 + `  a`)); err == nil {
		t.Errorf("read %q; without escapes the backslash is part of the line", e.name)
	}
}

func TestParseLineRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 errNoEntry.Error(),
		"\r":                               errNoEntry.Error(),
		"# " + sha + "  a":                 errNoEntry.Error(),
		"  ":                               "neither",
		"(a) = " + crc:                     "neither",
		crc:                                "a space and",
		crc + "  ":                         "no name",
		xx64 + "  ":                        "no name",
		xx64 + " ":                         "no name",
		xx64:                               "a space and",
		xx64 + "\t":                        "no name",
		xx64 + "  a\x00":                   "NUL",
		"g" + xx64[1:] + "  a":             "not a hex digit",
		xx64[1:] + "  a":                   "hashsum has no function with sums of 15 characters",
		sha + xx64 + "  a":                 "hashsum has no function with sums of 80 characters",
		"XXH3_" + xx128 + "  a":            "the sum has 32 digits; a sum of xxh3 has 16",
		"XXH3_" + xx3[1:] + "g  a":         "not a hex digit",
		`\` + xx64 + `  a\b`:               "backslash",
		`\` + xx64 + `  a\`:                "backslash",
		`\\` + xx64 + `  a`:                "hashsum has no function with sums of 17",
		"MD4 (a) = " + xx128:               `hashsum has no function "MD4"`,
		"MAPHASH (a) = " + xx64:            `hashsum has no function "MAPHASH"`,
		"CRC32_LE (a) = " + crc:            `hashsum has no function "CRC32_LE"`,
		"SHA256 (a = " + sha:               "bracket",
		"SHA256 (a) " + sha:                "equals",
		"SHA256 (a) = ":                    "the sum has 0 digits; a sum of sha256 has 64",
		"SHA256 (a) = " + sha[1:]:          "63 digits",
		"SHA256 (a) = " + sha + " ":        "65 digits",
		"SHA256 () = " + sha:               "no name",
		"{":                                "JSON",
		`{"name":"a"}`:                     `algorithm ""`,
		`{"name":"a","algorithm":"crc32"}`: "0 digits",
		`{"algorithm":"crc32","digest":"` + crc + `"}`:                                 "no name",
		`{"name":"\u0000","algorithm":"crc32","digest":"` + crc + `"}`:                 "NUL",
		`{"name":"a","name_base64":"AA==","algorithm":"crc32","digest":"` + crc + `"}`: "NUL",
		`{"name":"a","name_base64":"!","algorithm":"crc32","digest":"` + crc + `"}`:    "name_base64",
		`{"name":"a","algorithm":"crc32","digest":"` + crc + `","size":-1}`:            "is negative",
		`{"name":"a","algorithm":"crc32","digest":"` + crc + `"}x`:                     "after top-level value",
		"{\"name\":\"\xff\",\"algorithm\":\"crc32\",\"digest\":\"" + crc + `"}`:        "not UTF-8",
	} {
		e, err := dialect{}.parseLine([]byte(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want an error with %q", line, e.name, err, want)
		}
	}
	if _, err := (dialect{fn: lookupFunction("crc32")}).parseLine([]byte(xx64 + "  a")); err == nil || !strings.Contains(err.Error(), "the sum has 16 digits; a sum of crc32 has 8") {
		t.Errorf("a line of another length than -a has: %v", err)
	}
}

func FuzzParseLine(f *testing.F) {
	for _, line := range []string{
		sha + "  a", crc + " *a", `\` + xx64 + `  a\nb`, "XXH3_" + xx3 + "  a", "XXH64_LE (a) = " + xx64,
		"SHA256(a)= " + sha, "# x", "\r", `{"name":"a","name_base64":"/w==","algorithm":"crc32","digest":"` + crc + `","size":1}`,
	} {
		f.Add([]byte(line), 0, false)
		f.Add([]byte(line), 5, true)
	}
	f.Fuzz(func(t *testing.T, line []byte, a int, zero bool) {
		d := dialect{zero: zero}
		if a > 0 {
			d.fn = &functions[a%len(functions)]
		}
		e, err := d.parseLine(line)
		if err != nil {
			return
		}
		if e.name == "" || strings.IndexByte(e.name, 0) >= 0 {
			t.Fatalf("name %q", e.name)
		}
		// Any entry that the parser accepts must read back the same after it is written.
		for _, s := range []style{stylePlain, styleTag, styleJSON} {
			l := layout{s, zero}
			if zero && strings.IndexByte(string(line), 0) >= 0 {
				continue
			}
			again, err := dialect{fn: e.fn, zero: zero}.parseLine(l.appendEntry(nil, &e))
			if err != nil || again.fn != e.fn || again.name != e.name || again.digest != e.digest {
				t.Fatalf("%q: %q, then %q, %v", line, e.name, again.name, err)
			}
		}
	})
}

// FuzzCheck checks hostile lists. Nothing may panic, and no output may control a terminal. The exit
// status may be 0 only if a file matched and no named file failed to match.
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
		if strings.ContainsAny(list, "/u\\") { // skip names outside the directory, also names with an escaped slash such as \u002f
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

// Each documented function must be found by its name in either case. Its digest must fit into the
// array of an entry.
func TestFunctions(t *testing.T) {
	names := strings.Fields(`crc32 crc32c crc32k crc32-bzip2 unreal-memcrc crc64 crc64nvme adler32 fnv1a32 fnv1a64 murmur3-32
		murmur3-128 rapidhash lookup2 xxh32 xxh64 xxh3 xxh128 blake3 sha256 sha512 sha1 md5`)
	for _, name := range names {
		f := lookupFunction(name)
		if f == nil {
			t.Errorf("function %s is missing", name)
			continue
		}
		if lookupFunction(strings.ToUpper(name)) != f || lookupFunction(f.tag) != f {
			t.Errorf("%s is not found by %s or %s", name, strings.ToUpper(name), f.tag)
		}
		if f.Size > len(entry{}.digest) {
			t.Errorf("%s has %d bytes", name, f.Size)
		}
	}
	if len(functions) != len(names) {
		t.Errorf("%d functions, want %d: %s", len(functions), len(names), listNames(functions))
	}
	for digits, name := range untagged {
		if f := lookupFunction(name); f == nil || 2*f.Size != digits || f.mark != "" {
			t.Errorf("%d digits cannot be of %s", digits, name)
		}
	}
	if f := lookupFunction(hashing.Default); f == nil {
		t.Errorf("the default is not a function")
	} else if untagged[2*f.Size] != f.Name {
		t.Errorf("lists of the default function need -a to be checked")
	}
	for name := range left {
		if _, ok := hashing.Lookup(name); !ok || lookupFunction(name) != nil {
			t.Errorf("%s is not left out, or not in the registry", name)
		}
	}
}
