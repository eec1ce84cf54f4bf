package frontend

import (
	"strings"
)

// ListenAddress adds a host to the address of a flag. If the address is only a port, the host is
// 127.0.0.1, which only this machine can reach.
func ListenAddress(addr string) string {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	return addr
}

// HideCredentials replaces the credentials in the addresses of a message by three dots:
//
//	grpc://bob:secret@cache.example.com becomes grpc://...@cache.example.com
//
// In a message about the value of a flag or of a variable, it also recognizes an address without a
// scheme.
func HideCredentials(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	var b strings.Builder
	for {
		begin, end := nextCredentials(text)
		if end < 0 {
			break
		}
		b.WriteString(text[:begin] + "...")
		text = text[end:]
	}
	return b.String() + text
}

// nextCredentials returns the range of the first credentials in a message; end is -1 if there are
// none.
func nextCredentials(text string) (begin, end int) {
	isValue := strings.HasPrefix(text, "invalid ") || strings.HasPrefix(text, "COOK_")
	for at := strings.IndexByte(text, '@'); at >= 0; {
		const delimiters = "/ \t\r\n\"'=<>()"
		begin := strings.LastIndexAny(text[:at], delimiters) + 1
		host := text[at:]
		if i := strings.IndexAny(host, delimiters); i >= 0 {
			host = host[:i]
		}
		end := at + strings.LastIndexByte(host, '@') // a password may have this character
		user, _, hasPassword := strings.Cut(text[begin:end], ":")
		inAddress := strings.HasSuffix(text[:begin], "://")
		if begin < end && (inAddress || isValue && hasPassword && user != "") && text[begin:end] != "..." {
			return begin, end
		}
		next := strings.IndexByte(text[at+1:], '@')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return 0, -1
}
