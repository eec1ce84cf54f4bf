package view

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/assetcook/assetcook/internal/webguard"
	"github.com/assetcook/assetcook/internal/webjson"
)

// NewToken returns an unguessable token. The page takes it from the fragment of its URL, which
// browsers do not send: http://127.0.0.1:7357/#token=TOKEN.
func NewToken() string { return rand.Text() }

// tokenHeader is the HTTP header with the token, for requests that change something.
const tokenHeader = "X-View-Token"

// policy is a content security policy that restricts the page to its own files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
	"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// guarded returns a handler that accepts only requests whose Host is allowed. The requests must
// come from the page itself or from a client that is not a page.
func guarded(s Sources, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !webguard.OurName(req, s.Hosts):
			webjson.Fail(w, http.StatusForbidden, "view: this server does not accept the host name %q; use its IP address", req.Host)
		case strings.Contains(req.URL.Path, "/api/") && webguard.FromElsewhere(req):
			webjson.Fail(w, http.StatusForbidden, "view: refused: the request comes from a page of another site")
		default:
			sameOrigin.ServeHTTP(w, req)
		}
	})
}

// acting returns a handler that accepts only requests with the token of Sources.
func (v *View) acting(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if !v.mayAct(req) {
			webjson.Fail(w, http.StatusForbidden, "this page needs the token; open the page with the full URL that was printed")
			return
		}
		next(w, req)
	}
}

func (v *View) mayAct(req *http.Request) bool {
	token := v.sources.Token
	return token != "" && subtle.ConstantTimeCompare([]byte(req.Header.Get(tokenHeader)), []byte(token)) == 1
}
