package data

import (
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for _, tc := range []struct{ format, right, wrong string }{
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
