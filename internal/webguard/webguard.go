// Package webguard distinguishes requests from this machine's own pages and requests that other
// sites make through a browser.
package webguard

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// OurName reports whether the request's host is a loopback address, the address that received the
// request, or one of hosts. Any other name may belong to another site, even if it resolves to this
// machine.
func OurName(req *http.Request, hosts []string) bool { return ourHost(req, req.Host, hosts) }

// ourHost reports whether a host, with or without a port, is a name of the server that received the
// request.
func ourHost(req *http.Request, name string, hosts []string) bool {
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

// FromElsewhere reports whether the browser's headers show that a page of another origin made the
// request.
func FromElsewhere(req *http.Request) bool {
	site := req.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// OurPage reports whether a page of this machine made the request, on any port, or whether no page
// made the request. origin is the page's origin if the browser sends it, for the header
// Access-Control-Allow-Origin.
func OurPage(req *http.Request) (origin string, ok bool) {
	origin = req.Header.Get("Origin")
	if origin == "" {
		return "", !FromElsewhere(req)
	}
	page, err := url.Parse(origin)
	return origin, err == nil && ourHost(req, page.Host, nil)
}
