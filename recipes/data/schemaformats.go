package data

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// compilePattern compiles a schema's regular expression with RE2, whose time is linear in the
// text. It adds support for ECMAScript's four-digit escapes.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile(fourDigits().ReplaceAllString(pattern, `${1}\x{$2}`))
}

var fourDigits = lazyregexp.New(`((?:^|[^\\])(?:\\\\)*)\\u([0-9A-Fa-f]{4})`)

// satisfies reports whether a string satisfies a format of drafts 4 to 7.
func satisfies(format, s string) bool {
	switch format {
	case "date-time":
		return isDateTime(s)
	case "date":
		return parses("2006-01-02", s)
	case "time":
		return isDateTime("2000-06-30T" + s)
	case "email", "idn-email":
		return isEmail(s)
	case "hostname":
		return len(s) < 254 && isASCII(s) && hostName().MatchString(s)
	case "idn-hostname":
		return s != "" && len(s) < 254 && !strings.ContainsAny(s, " \t\n/@:?#")
	case "ipv4":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	case "ipv6":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	case "uri":
		return isASCII(s) && isURI(s, true)
	case "iri":
		return isURI(s, true)
	case "uri-reference":
		return isASCII(s) && isURI(s, false)
	case "iri-reference":
		return isURI(s, false)
	case "uri-template":
		return uriTemplate().MatchString(s)
	case "json-pointer":
		return jsonPointer().MatchString(s)
	case "relative-json-pointer":
		return relativePointer().MatchString(s)
	case "regex":
		_, err := compilePattern(s)
		return err == nil
	}
	return true
}

// variable matches a varspec of RFC 6570, section 2.3.
const variable = `(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9]\d{0,3})?`

// atom matches an Atom of RFC 5321, with the letters of RFC 6531.
const atom = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10ffff}-]+"

var (
	dateTime    = lazyregexp.New(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$`)
	mailName    = lazyregexp.New(`^(?:` + atom + `(?:\.` + atom + `)*|"(?:[^\x00-\x1f"\\\x7f]|\\[\x20-\x7e])*")$`)
	hostName    = lazyregexp.New(`^(?i:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?i:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$`)
	uriTemplate = lazyregexp.New("^(?:[^\\x00-\\x20\\x7f-\\x9f\"%<>\\\\^`{|}]|%[0-9A-Fa-f]{2}|" +
		`\{[+#./;?&=,!@|]?` + variable + "(?:," + variable + `)*\})*$`)
	jsonPointer     = lazyregexp.New(`^(?:/(?:[^~/]|~[01])*)*$`)
	relativePointer = lazyregexp.New(`^(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)$`)
)

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil && len(s) == len(layout)
}

// isDateTime reports whether a string is a date-time of RFC 3339. A leap second is valid only at
// the end of a day in UTC.
func isDateTime(s string) bool {
	m := dateTime().FindStringSubmatch(s)
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

// isEmail reports whether a string is a Mailbox of RFC 5321, section 4.1.2, or of RFC 6531. It does
// not use net/mail, which implements a different syntax, RFC 5322. That package also imports net,
// which makes programs load the system's C library at start.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || !mailName().MatchString(s[:at]) {
		return false
	}
	domain := s[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		if literal, ok = strings.CutSuffix(literal, "]"); !ok {
			return false
		}
		if v6, ok := strings.CutPrefix(literal, "IPv6:"); ok {
			return satisfies("ipv6", v6)
		}
		return satisfies("ipv4", literal)
	}
	if isASCII(domain) {
		return satisfies("hostname", domain)
	}
	return domain[0] != '"' && mailName().MatchString(domain) && satisfies("idn-hostname", domain)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// isURI reports whether a string is a URI. If absolute is false, relative references are also URIs.
func isURI(s string, absolute bool) bool {
	if strings.ContainsAny(s, " \"<>\\^`{|}") {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || absolute && !u.IsAbs() {
		return false
	}
	if u.Scheme != "" {
		s = s[len(u.Scheme)+1:]
	}
	authority, found := strings.CutPrefix(s, "//")
	if end := strings.IndexAny(authority, "/?#"); !found {
		authority = ""
	} else if end >= 0 {
		authority = authority[:end]
	}
	// Package url accepts brackets outside hosts, and several @.
	return strings.Count(s, "[") == strings.Count(u.Host, "[") && strings.Count(s, "]") == strings.Count(u.Host, "]") &&
		(!strings.ContainsAny(u.Host, "[]") || strings.HasPrefix(u.Host, "[")) && strings.Count(authority, "@") <= 1
}
