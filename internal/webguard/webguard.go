// Package webguard distinguishes requests of this machine's own pages from requests that other
// sites make through a browser.
package webguard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// OurName reports whether the request's host is a loopback address, the address that the request
// arrived at, or one of hosts. Other names may belong to another site and resolve to this machine.
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

// FromElsewhere reports whether a page of another origin makes the request, by the browser's
// headers.
func FromElsewhere(req *http.Request) bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
