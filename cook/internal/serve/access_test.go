package serve

import (
	"net/http/httptest"
	"strings"
	"testing"
)

const goodToken = "AAAABBBBCCCCDDDDEEEE"

func TestRequestsNeedTheToken(t *testing.T) {
	p := newProject(t)
	p.cook()
	s := p.start("", goodToken)
	for _, test := range []struct {
		path   string
		header []string
		want   int
	}{
		{"/a.txt", nil, 401},
		{"/none.txt", nil, 401},
		{"/events", nil, 401},
		{"/reload.js", nil, 401},
		{"/manifest.json", nil, 401},
		{"/", nil, 401},
		{"/a.txt?token=", nil, 401},
		{"/a.txt?token=" + goodToken[:19], nil, 401},
		{"/a.txt?token=" + goodToken + "E", nil, 401},
		{"/a.txt?token=" + strings.ToLower(goodToken), nil, 401},
		{"/a.txt", []string{"Authorization", "Bearer "}, 401},
		{"/a.txt", []string{"Authorization", "Basic " + goodToken}, 401},
		{"/a.txt", []string{"Authorization", goodToken}, 401},
		{"/a.txt", []string{"Cookie", "token=" + goodToken}, 401},
		{"/@/a.txt", nil, 401},
		{"/@@" + goodToken + "/a.txt", nil, 401},
		{"/" + goodToken + "/a.txt", nil, 401},
		{"/x/@" + goodToken + "/a.txt", nil, 401},
		{"/a.txt?token=" + goodToken, nil, 200},
		{"/a.txt", []string{"Authorization", "Bearer " + goodToken}, 200},
		{"/a.txt", []string{"Authorization", "bearer " + goodToken}, 200},
		{"/@" + goodToken + "/a.txt", nil, 200},
		{"/@" + goodToken + "/level/b.json", nil, 200},
		{"/@" + goodToken + "/reload.js", nil, 200},
		{"/@" + goodToken + "/", nil, 200},
		{"/@" + goodToken, nil, 200},
		{"/@" + goodToken + "/@" + goodToken + "/a.txt", nil, 404},
		{"/@wrong/a.txt?token=" + goodToken, nil, 404},
	} {
		w := ask(s, "GET", test.path, test.header...)
		if w.Code != test.want || w.Code == 401 && (w.Header().Get("WWW-Authenticate") != "Bearer" || strings.Contains(w.Body.String(), goodToken)) {
			t.Errorf("%s %q: %d %q, want %d", test.path, test.header, w.Code, w.Body, test.want)
		}
	}
}

func TestPagesOfOtherSitesNeedTheToken(t *testing.T) {
	p := newProject(t)
	p.cook()
	for _, test := range []struct {
		token, path, host, origin, site string
		want                            int
		allowed                         string
	}{
		{"", "/a.txt", "localhost:1", "", "", 200, ""},
		{"", "/a.txt", "127.0.0.1:1", "http://localhost:5173", "same-site", 200, "http://localhost:5173"},
		{"", "/a.txt", "127.0.0.1:1", "https://evil.test", "cross-site", 403, ""},
		{"", "/a.txt", "127.0.0.1:1", "", "cross-site", 403, ""},
		{"", "/a.txt", "evil.test", "", "", 403, ""},
		{"", "/events", "evil.test", "", "", 403, ""},
		{goodToken, "/@" + goodToken + "/a.txt", "laptop.local:1", "http://192.168.1.5:5173", "cross-site", 200, "*"},
		{goodToken, "/@" + goodToken + "/a.txt", "laptop.local:1", "", "", 200, "*"},
		{goodToken, "/a.txt", "localhost", "http://localhost:5173", "same-site", 401, "*"},
	} {
		s := p.start("", test.token)
		req := httptest.NewRequest("GET", "http://"+test.host+test.path, nil)
		for name, value := range map[string]string{"Origin": test.origin, "Sec-Fetch-Site": test.site} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != test.want || got != test.allowed {
			t.Errorf("%+v: %d, allowed origin %q", test, w.Code, got)
		}
	}
}

// TestPreflight sends the request that a browser sends before a request with a token or a range.
func TestPreflight(t *testing.T) {
	s := newProject(t).start("", goodToken)
	w := ask(s, "OPTIONS", "/a.txt", "Origin", "http://192.168.1.5:5173", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,range")
	allowed := strings.ToLower(w.Header().Get("Access-Control-Allow-Headers"))
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(allowed, "authorization") || !strings.Contains(allowed, "range") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
