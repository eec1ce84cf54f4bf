// Package webcache keeps results on a server that implements Bazel's HTTP protocol: PREFIX/ac/HASH
// has ActionResult messages, PREFIX/cas/HASH has blobs, accessed by GET, HEAD and PUT.
// bazel-remote, nginx with WebDAV, and gateways of object stores support it. The digest function is
// SHA-256.
package webcache

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Options hold the settings of a connection, besides the server's address.
type Options struct {
	TLS *tls.Config
	// Authorization is the value of the header; "" for none.
	Authorization string
	// Sign signs a request; content is the SHA-256 of its body. Sign may be nil.
	Sign func(r *http.Request, content string) error
	// Probe is a URL. Open reads it to check that the server answers, or looks up the empty blob if
	// Probe is "".
	Probe string
	// Meter notes the bytes of the connections. It may be nil.
	Meter *share.Meter
}

// connections limits the connections to the server.
const connections = 64

// batch limits the bytes of blobs in one call of the Server methods. A call makes one request for
// each blob.
const batch = 1 << 20

// maxResult is the size limit of an ActionResult.
const maxResult = 8 << 20

type server struct {
	client  *http.Client
	prefix  string
	headers http.Header
	sign    func(r *http.Request, content string) error // may be nil

	ahead atomic.Pointer[time.Duration] // how far the server's clock is ahead; nil if unknown
}

// Ahead returns how far the server's clock is ahead of the local clock. ok is false if unknown.
func (s *server) Ahead() (time.Duration, bool) {
	ahead := s.ahead.Load()
	if ahead == nil {
		return 0, false
	}
	return *ahead, true
}

// Open connects to the server at an address, and checks that it answers.
func Open(ctx context.Context, address *url.URL, opt Options) (share.Server, error) {
	s := &server{
		client: &http.Client{
			Transport: &http.Transport{
				TLSClientConfig: opt.TLS, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: connections / 2, MaxConnsPerHost: connections,
				DisableCompression: true, Proxy: http.ProxyFromEnvironment, DialContext: opt.Meter.Dial(new(net.Dialer).DialContext),
			},
			// Do not follow redirects, because another server must not get the credentials.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		headers: http.Header{"User-Agent": {"assetcook"}}, sign: opt.Sign,
	}
	if opt.Authorization != "" {
		s.headers.Set("Authorization", opt.Authorization)
	}
	plain := *address
	plain.User, plain.RawQuery, plain.Fragment = nil, "", ""
	s.prefix = plain.JoinPath("/").String()
	if err := s.probe(ctx, opt.Probe); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// probe checks that the server answers.
func (s *server) probe(ctx context.Context, address string) error {
	if address == "" {
		// Any answer about the empty blob shows that the server works.
		_, err := s.Missing(ctx, []share.Digest{share.SHA256.Of(nil)})
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := s.doHTTP(r, emptyHash())
	if err != nil {
		return err
	}
	return discard(answer)
}

// discard reads a short body to its end, so that the connection can be reused.
func discard(answer *http.Response) error {
	io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	return answer.Body.Close()
}

func emptyHash() string { return share.SHA256.Of(nil).Hash }

func (s *server) Traits() share.Traits {
	return share.Traits{Function: share.SHA256, Batch: batch, Uploads: true}
}

func (s *server) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// sendHTTP makes a request without a body.
func (s *server) sendHTTP(ctx context.Context, method, kind, hash string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.prefix+kind+"/"+hash, nil)
	if err != nil {
		return nil, err
	}
	return s.doHTTP(r, emptyHash())
}

// doHTTP sends a request with a body that has a SHA-256 hash, and returns the answer if the request
// succeeded.
func (s *server) doHTTP(r *http.Request, content string) (*http.Response, error) {
	for key, values := range s.headers {
		r.Header[key] = values
	}
	if s.sign != nil {
		if err := s.sign(r, content); err != nil {
			return nil, err
		}
	}
	answer, err := s.client.Do(r)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err // the address may be long
		}
		return nil, fmt.Errorf("%w: %w", share.ErrUnavailable, err)
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil && s.ahead.Load() == nil {
		ahead := time.Until(date)
		s.ahead.Store(&ahead)
	}
	if err := errorOfResponse(answer); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// errorOfResponse converts an HTTP status, and the error code of an object store, to an error. It
// returns nil for success.
func errorOfResponse(r *http.Response) error {
	status := r.StatusCode
	if status >= 200 && status < 300 {
		return nil
	}
	kind, reason := share.ErrUnavailable, storeCode(r)
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return share.ErrMissing
	case reason == "QuotaExceeded" || status == http.StatusInsufficientStorage:
		kind = share.ErrFull
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusMethodNotAllowed || status >= 300 && status < 400:
		kind = share.ErrRefused
	case reason == "EntityTooLarge" || status == http.StatusRequestEntityTooLarge:
		kind = share.ErrTooLarge
	case reason == "SlowDown" || status == http.StatusInternalServerError: // other requests succeed
		kind = share.ErrInternal
	case status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
		kind = nil
	}
	text := "the server answers " + pathname.Show(r.Status)
	if reason != "" {
		text += " (" + reason + ")"
	}
	if region := r.Header.Get("X-Amz-Bucket-Region"); region != "" && (status == http.StatusMovedPermanently || status == http.StatusBadRequest) {
		text += "; the bucket is in another region: set AWS_REGION=" + pathname.Show(region)
	}
	if kind == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%w: %s", kind, text)
}

// storeCode returns the code of an error answer of an object store, such as AccessDenied, or "". The
// answers are XML; a parser would slow each start of cook.
func storeCode(r *http.Response) string {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	_, rest, _ := strings.Cut(string(body), "<Code>")
	code, _, ok := strings.Cut(rest, "</Code>")
	isOther := func(c rune) bool { return c > 'z' || c < 'A' || c > 'Z' && c < 'a' }
	if !ok || len(code) > 60 || strings.ContainsFunc(code, isOther) {
		return ""
	}
	return code
}

func (s *server) Result(ctx context.Context, action share.Digest) (*messages.ActionResult, error) {
	answer, err := s.sendHTTP(ctx, http.MethodGet, "ac", action.Hash)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxResult+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", share.ErrUnavailable, err)
	}
	r := &messages.ActionResult{}
	if len(data) > maxResult || messages.Unmarshal(data, r) != nil {
		return &messages.ActionResult{}, nil // an empty result is a miss
	}
	return r, nil
}

func (s *server) PutResult(ctx context.Context, action share.Digest, r *messages.ActionResult) error {
	data := messages.Marshal(r)
	return s.putHTTP(ctx, "ac", action.Hash, bytes.NewReader(data), share.SHA256.Of(data))
}

func (s *server) putHTTP(ctx context.Context, kind, hash string, body io.Reader, content share.Digest) error {
	if content.Size == 0 {
		body = http.NoBody
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, s.prefix+kind+"/"+hash, body)
	if err != nil {
		return err
	}
	r.ContentLength = content.Size
	answer, err := s.doHTTP(r, content.Hash)
	if err != nil {
		return err
	}
	return discard(answer)
}

func (s *server) Missing(ctx context.Context, digests []share.Digest) (missing []share.Digest, err error) {
	absent := make([]bool, len(digests))
	err = share.Each(len(digests), func(i int) error {
		answer, err := s.sendHTTP(ctx, http.MethodHead, "cas", digests[i].Hash)
		if errors.Is(err, share.ErrMissing) {
			absent[i] = true
			return nil
		}
		if err != nil {
			return err
		}
		absent[i] = answer.ContentLength >= 0 && answer.ContentLength != digests[i].Size // the file is torn
		return answer.Body.Close()
	})
	for i, d := range digests {
		if absent[i] {
			missing = append(missing, d)
		}
	}
	return missing, err
}

func (s *server) ReadSmall(ctx context.Context, digests []share.Digest, each func(int, []byte, error)) error {
	return share.ReadEach(ctx, s, digests, each)
}

func (s *server) WriteSmall(ctx context.Context, digests []share.Digest, contents [][]byte) error {
	return share.WriteEach(ctx, s, digests, contents)
}

func (s *server) Read(ctx context.Context, d share.Digest) (io.ReadCloser, error) {
	r := &reader{s: s, ctx: ctx, digest: d}
	return r, r.openBody()
}

func (s *server) Write(ctx context.Context, d share.Digest, open func(offset int64) (io.ReadCloser, error)) error {
	from, err := open(0)
	if err != nil {
		return err
	}
	defer from.Close()
	return s.putHTTP(ctx, "cas", d.Hash, from, d)
}

// resumes is the number of broken connections after which the download of a blob continues.
const resumes = 3

// A reader reads a blob. After a broken connection, it continues at the same offset.
type reader struct {
	s       *server
	ctx     context.Context
	digest  share.Digest
	offset  int64
	resumed int
	body    io.ReadCloser
}

func (r *reader) openBody() error {
	request, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.s.prefix+"cas/"+r.digest.Hash, nil)
	if err != nil {
		return err
	}
	if r.offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", r.offset))
	}
	answer, err := r.s.doHTTP(request, emptyHash())
	if err != nil {
		return err
	}
	if r.offset > 0 && answer.StatusCode != http.StatusPartialContent {
		_, err = io.CopyN(io.Discard, answer.Body, r.offset)
	}
	r.body = answer.Body
	return err
}

func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.body.Read(p)
		r.offset += int64(n)
		if n > 0 || err == nil {
			return n, nil
		}
		if err == io.EOF && r.offset >= r.digest.Size {
			return 0, io.EOF
		}
		if r.resumed == resumes || r.ctx.Err() != nil {
			return 0, fmt.Errorf("%w: the server stopped after %d of %d bytes", share.ErrUnavailable, r.offset, r.digest.Size)
		}
		r.resumed++
		r.body.Close()
		if err := r.openBody(); err != nil {
			return 0, err
		}
	}
}

func (r *reader) Close() error { return r.body.Close() }
