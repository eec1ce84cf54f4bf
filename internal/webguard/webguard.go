// Package webguard tells requests that a page of this machine's own makes from those that
// other sites have a browser make.
package webguard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// OurName reports whether a request names a loopback address, the address that it came to
// or one of hosts. Other names may be another site's, made to resolve to this machine.
func OurName(req *http.Request, hosts []string) bool {
	name := req.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if name == "localhost" || slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if ip.Unmap().IsLoopback() {
		return true
	}
	local, ok := req.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap().WithZone("") == ip.Unmap().WithZone("")
}

// FromElsewhere reports whether a browser says that a page of another origin asks.
func FromElsewhere(req *http.Request) bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
