package data

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// compilePattern compiles a regular expression of a schema. It is one of RE2, which
// takes time in proportion to the text, with the escapes of four digits that
// ECMAScript has.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile(fourDigits.ReplaceAllString(pattern, `${1}\x{$2}`))
}

var fourDigits = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)\\u([0-9A-Fa-f]{4})`)

// formats are those that drafts 4 to 7 check; later ones only note what format says.
var formats = map[string]func(string) bool{
	"date-time": isDateTime,
	"date":      func(s string) bool { return parses("2006-01-02", s) },
	"time":      func(s string) bool { return isDateTime("2000-06-30T" + s) },
	"email":     isEmail, "idn-email": isEmail,
	"hostname": isHost, "idn-hostname": func(s string) bool { return s != "" && len(s) < 254 && !strings.ContainsAny(s, " \t\n/@:?#") },
	"ipv4": func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6": func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"uri":  func(s string) bool { return isASCII(s) && isURI(s, true) }, "iri": func(s string) bool { return isURI(s, true) },
	"uri-reference": func(s string) bool { return isASCII(s) && isURI(s, false) }, "iri-reference": func(s string) bool { return isURI(s, false) },
	"uri-template":          uriTemplate.MatchString,
	"json-pointer":          jsonPointer.MatchString,
	"relative-json-pointer": relativePointer.MatchString,
	"regex":                 func(s string) bool { _, err := compilePattern(s); return err == nil },
}

var (
	dateTime        = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$`)
	hostName        = regexp.MustCompile(`^(?i:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?i:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$`)
	uriTemplate     = regexp.MustCompile(`^(?:[^\x00-\x20"'<>\\^{|}` + "`" + `]|\{[^{}\s]+\})*$`)
	jsonPointer     = regexp.MustCompile(`^(?:/(?:[^~/]|~[01])*)*$`)
	relativePointer = regexp.MustCompile(`^(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)$`)
)

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil && len(s) == len(layout)
}

// isDateTime knows leap seconds, which are the last of a day of UTC.
func isDateTime(s string) bool {
	m := dateTime.FindStringSubmatch(s)
	if m == nil || !parses("2006-01-02", m[1]) || !parses("15:04", m[2]) || m[4] != "" && (!parses("15:04", m[5]+":"+m[6])) {
		return false
	}
	if m[3] < "60" {
		return true
	}
	at, _ := time.Parse("15:04", m[2])
	if m[4] != "" {
		by, _ := time.Parse("15:04", m[5]+":"+m[6])
		shift := by.Sub(by.Truncate(24 * time.Hour))
		if m[4] == "+" {
			shift = -shift
		}
		at = at.Add(shift)
	}
	return m[3] == "60" && at.Hour() == 23 && at.Minute() == 59
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress("<" + s + ">")
	return err == nil && a.Name == "" && strings.Contains(s, "@")
}

func isHost(s string) bool { return len(s) < 254 && hostName.MatchString(s) }

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// isURI reports whether a string is a URI or, unless it must be absolute, a reference.
func isURI(s string, absolute bool) bool {
	if strings.ContainsAny(s, " \"<>\\^`{|}") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (!absolute || u.IsAbs()) && (u.Host == "" || !strings.ContainsAny(u.Host, "[]") || strings.HasPrefix(u.Host, "["))
}
