package view

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestGuard(t *testing.T) {
	v := New(Sources{Title: "t", Hosts: []string{"build.example"}})
	for _, tc := range []struct {
		name   string
		method string
		url    string
		header [2]string
		want   int
	}{
		{"loopback", "GET", "http://127.0.0.1:7357/api/info", [2]string{}, 200},
		{"loopback 6", "GET", "http://[::1]:7357/api/info", [2]string{}, 200},
		{"mapped", "GET", "http://[::ffff:127.0.0.1]/api/info", [2]string{}, 200},
		{"localhost", "GET", "http://localhost/api/info", [2]string{}, 200},
		{"allowed name", "GET", "http://BUILD.example:80/api/info", [2]string{}, 200},
		{"rebound name", "GET", "http://evil.example:7357/api/info", [2]string{}, 403},
		{"name like an address", "GET", "http://127.0.0.1.evil.example/", [2]string{}, 403},
		{"localhost of a domain", "GET", "http://localhost.evil.example/", [2]string{}, 403},
		{"other address", "GET", "http://10.0.0.1/", [2]string{}, 403},
		{"other site", "GET", "http://127.0.0.1/api/info", [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"link from other site", "GET", "http://127.0.0.1/", [2]string{"Sec-Fetch-Site", "cross-site"}, 200},
		{"post of other site", "POST", "http://127.0.0.1/api/info", [2]string{"Origin", "http://evil.example"}, 403},
		{"path out", "GET", "http://127.0.0.1/%2e%2e/view.go", [2]string{}, 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := httptest.NewRequest(tc.method, tc.url, nil)
			if tc.header[0] != "" {
				req.Header.Set(tc.header[0], tc.header[1])
			}
			w := httptest.NewRecorder()
			v.ServeHTTP(w, req)
			if w.Code != tc.want {
				t.Errorf("status %d, want %d: %s", w.Code, tc.want, w.Body)
			}
			if got := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'") {
				t.Errorf("policy %q", got)
			}
		})
	}
}

func TestActingNeedsTheToken(t *testing.T) {
	for _, tc := range []struct {
		token, sent string
		want        int
	}{
		{"", "", 403}, {"secret", "", 403}, {"secret", "secre", 403}, {"secret", "secret", 200},
	} {
		v := New(Sources{Token: tc.token})
		w := httptest.NewRecorder()
		req := httptest.NewRequest("POST", "http://127.0.0.1/", nil)
		req.Header.Set(tokenHeader, tc.sent)
		v.acting(func(w http.ResponseWriter, _ *http.Request) {})(w, req)
		if w.Code != tc.want {
			t.Errorf("token %q, sent %q: status %d, want %d", tc.token, tc.sent, w.Code, tc.want)
		}
	}
}

// A program's tab must be served below its own path, and its actions must need the token.
func TestTab(t *testing.T) {
	files := fstest.MapFS{"tab.js": {Data: []byte("export function mount() {}")}}
	api := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.Method, " ", req.URL.Path) })
	v := New(Sources{Token: "secret", Tabs: []Tab{{ID: "extra", Title: "Extra", Files: files, API: api}}})
	for _, tc := range []struct {
		method, path, token string
		status              int
		want                string
	}{
		{"GET", "/tabs/extra/tab.js", "", 200, "export"},
		{"GET", "/tabs/extra/api/list", "", 200, "GET /list"},
		{"POST", "/tabs/extra/api/do", "", 403, "token"},
		{"POST", "/tabs/extra/api/do", "secret", 200, "POST /do"},
		{"GET", "/tabs/other/tab.js", "", 404, ""},
		{"GET", "/api/info", "", 200, `"tabs":[{"id":"extra","title":"Extra","style":false}]`},
	} {
		w := httptest.NewRecorder()
		req := httptest.NewRequest(tc.method, "http://127.0.0.1"+tc.path, nil)
		req.Header.Set(tokenHeader, tc.token)
		v.ServeHTTP(w, req)
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%s %s: status %d, want %d with %q: %s", tc.method, tc.path, w.Code, tc.status, tc.want, w.Body)
		}
	}
}
