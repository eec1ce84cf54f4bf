package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/assetcook/assetcook/internal/webguard"
)

// tokenMark precedes the token in the first segment of a path.
const tokenMark = "@"

// admitRequest answers requests that the server must not serve, and preflight requests of browsers. For
// other requests, it returns the name of the requested file.
func (s *Server) admitRequest(w http.ResponseWriter, req *http.Request) (name string, ok bool) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the URL of a served page may contain the token
	h.Set("Vary", "Origin, Authorization")
	name, _ = strings.CutPrefix(req.URL.Path, "/")
	origin, ours := webguard.OurPage(req)
	if s.opt.Token != "" {
		origin = "*" // only the token decides
	} else if !ours || !webguard.OurName(req, nil) {
		http.Error(w, "cook serve: without a token, only programs and pages on this machine may connect", http.StatusForbidden)
		return "", false
	}
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "ETag, Content-Range, Accept-Ranges, Retry-After")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	switch {
	case req.Method == http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "Authorization, Range, If-Range, If-None-Match, Cache-Control, Last-Event-ID")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return "", false
	case req.ContentLength != 0:
		h.Set("Connection", "close") // otherwise the server would wait for the body
		http.Error(w, "cook serve: a request must have no body", http.StatusBadRequest)
		return "", false
	case s.opt.Token == "":
		return name, true
	}
	first, rest, _ := strings.Cut(name, "/")
	given, marked := strings.CutPrefix(first, tokenMark)
	if marked && s.isToken(given) {
		return rest, true
	}
	scheme, bearer, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && s.isToken(bearer) || s.isToken(req.URL.Query().Get("token")) {
		return name, true
	}
	h.Set("WWW-Authenticate", "Bearer")
	h.Set("Cache-Control", "no-store")
	http.Error(w, "cook serve: the request has no valid token; use the URL that cook serve printed", http.StatusUnauthorized)
	return "", false
}

// isToken compares a text with the token. The time does not depend on the characters of the token,
// nor on its length.
func (s *Server) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.opt.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
