package remotetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

// A Bucket is a bucket of an object store. Its requests must be signed with AWS Signature Version 4.
type Bucket struct {
	Name, Region, KeyID, Secret string
	Token                       string // session token; "" for none
}

// StartS3 serves a bucket, with any prefix, on loopback until the test ends, and returns the
// endpoint. The server reports errors as S3 does.
func (s *Server) StartS3(t Test, b Bucket) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := func(status int, code string) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>no</Message></Error>", code)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if status, code := b.verify(r, body); code != "" {
			fail(status, code)
			return
		}
		bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if bucket != b.Name {
			fail(http.StatusNotFound, "NoSuchBucket")
			return
		}
		if key == "" && r.Method == http.MethodGet && r.URL.Query().Get("list-type") == "2" {
			io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult></ListBucketResult>")
			return
		}
		words := strings.Split(key, "/")
		r.URL.Path = "/cache/" + strings.Join(words[max(0, len(words)-2):], "/")
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.serveHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// verify checks the signature of a request by the steps of "Create a signed AWS API request" in the
// IAM user guide. It returns "" or an error code of S3.
func (b *Bucket) verify(r *http.Request, body []byte) (status int, code string) {
	form, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return http.StatusForbidden, "AccessDenied"
	}
	fields := map[string]string{}
	for field := range strings.SplitSeq(form, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[key] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	content := r.Header.Get("X-Amz-Content-Sha256")
	date := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", date)
	signed := strings.Split(fields["SignedHeaders"], ";")
	switch {
	case len(scope) != 5 || scope[0] != b.KeyID || scope[3] != "s3" || scope[4] != "aws4_request":
		return http.StatusForbidden, "InvalidAccessKeyId"
	case scope[2] != b.Region:
		return http.StatusBadRequest, "AuthorizationHeaderMalformed"
	case err != nil || time.Since(at).Abs() > 15*time.Minute || scope[1] != date[:8]:
		return http.StatusForbidden, "RequestTimeTooSkewed"
	case r.Header.Get("X-Amz-Security-Token") != b.Token:
		return http.StatusForbidden, "InvalidToken"
	case content != hexHash(body):
		return http.StatusBadRequest, "XAmzContentSHA256Mismatch"
	case !slices.Contains(signed, "host"):
		return http.StatusForbidden, "SignatureDoesNotMatch"
	}
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(signed, name) {
			return http.StatusForbidden, "SignatureDoesNotMatch"
		}
	}
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"))
	for _, name := range signed {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		fmt.Fprintf(&canonical, "%s:%s\n", name, strings.TrimSpace(value))
	}
	fmt.Fprintf(&canonical, "\n%s\n%s", fields["SignedHeaders"], content)
	key := []byte("AWS4" + b.Secret)
	for _, word := range scope[1:] {
		key = keyedHash(key, word)
	}
	text := "AWS4-HMAC-SHA256\n" + date + "\n" + strings.Join(scope[1:], "/") + "\n" + hexHash([]byte(canonical.String()))
	if hex.EncodeToString(keyedHash(key, text)) != fields["Signature"] {
		return http.StatusForbidden, "SignatureDoesNotMatch"
	}
	return 0, ""
}

func hexHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func keyedHash(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	io.WriteString(h, text)
	return h.Sum(nil)
}
