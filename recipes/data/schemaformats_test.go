package data

import (
	"net/mail"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStringsSatisfyTheirFormat(t *testing.T) {
	for _, tc := range []struct{ format, right, wrong string }{
		{"email", `a@b a.b+c@d.e-f "a@b"@c "\""@c ~!{}@x josé@dé.f a@[127.0.0.1] a@[IPv6:::1]`,
			`a @a a@ .a@b a.@b a..b@c a@b@c "a@b a"b@c "a\@b a@b=c a@-b a@[127.0.0.300] a@[::1] a@[IPv6:x] a@[127.0.0.1 <a@b> (x)a@b a@dé:f a@"dé"`},
		{"hostname", "a 1b a.b-c.d K.x", "a_b -a a- a..b a. \u212a.x"},
		{"uri", "http://a/b http://u:p@a/ http://[::1]:8/ urn:a:b mailto:a@b@c x:/a//b@c@d", "http:/[::1] http://a/[b] http://u[@a/ //a a/b http://a@b@c/ http://a/b|c"},
		{"uri-reference", "//a@b/c@d@e a?b@c@d#e ../a", "/[::1] //a@b@c/ //a@b@c"},
		{"uri-template", "a {a} {+a} {?a,b} {a.b} {a*} {a:1} {a:9999}b {%41_1} %41 it's \u00e4",
			"{} {a {a,} {a,,b} {,a,} {a..b} {.a.} {a:0} {a:01} {a:10000} {a=b} {,+a} {a*:1} } %4 % a\x7f a\u0080 a|b"},
	} {
		for want, list := range map[bool]string{true: tc.right, false: tc.wrong} {
			for _, s := range strings.Fields(list) {
				if satisfies(tc.format, s) != want {
					t.Errorf("%s %q: %v", tc.format, s, !want)
				}
			}
		}
	}
}

// Package net/mail accepts every mailbox, except empty quotes and literals.
func FuzzEmail(f *testing.F) {
	for _, s := range []string{"a@b", `"a b\"c"@d`, "a@[127.0.0.1]", "a..b@c", "josé@é", "a@b=c", "a b@c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || !isEmail(s) || strings.HasPrefix(s, `""`) || strings.Contains(s, "@[") {
			return
		}
		if a, err := mail.ParseAddress("<" + s + ">"); err != nil || a.Name != "" {
			t.Errorf("%q: %v", s, err)
		}
	})
}
