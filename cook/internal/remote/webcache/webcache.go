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
	"net/http"
	"net/url"
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
				DisableCompression: true, Proxy: http.ProxyFromEnvironment,
			},
			// Do not follow redirects, because another server must not get the credentials.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		headers: http.Header{"User-Agent": {"assetcook"}},
	}
	if opt.Authorization != "" {
		s.headers.Set("Authorization", opt.Authorization)
	}
	plain := *address
	plain.User, plain.RawQuery, plain.Fragment = nil, "", ""
	s.prefix = plain.JoinPath("/").String()
	// Any answer about the empty blob shows that the server works.
	_, err := s.Missing(ctx, []share.Digest{share.SHA256.Of(nil)})
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

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
	return s.doHTTP(r)
}

// doHTTP sends a request, and returns the answer if the request succeeded.
func (s *server) doHTTP(r *http.Request) (*http.Response, error) {
	for key, values := range s.headers {
		r.Header[key] = values
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

// errorOfResponse converts an HTTP status to an error. It returns nil for success.
func errorOfResponse(r *http.Response) error {
	kind := share.ErrUnavailable
	switch code := r.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		return share.ErrMissing
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusMethodNotAllowed || code >= 300 && code < 400:
		kind = share.ErrRefused
	case code == http.StatusInsufficientStorage:
		kind = share.ErrFull
	case code == http.StatusRequestEntityTooLarge:
		kind = share.ErrTooLarge
	case code == http.StatusInternalServerError:
		kind = share.ErrInternal
	case code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		return fmt.Errorf("the server answers %s", pathname.Show(r.Status))
	}
	return fmt.Errorf("%w: the server answers %s", kind, pathname.Show(r.Status))
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
	return s.putHTTP(ctx, "ac", action.Hash, bytes.NewReader(data), int64(len(data)))
}

func (s *server) putHTTP(ctx context.Context, kind, hash string, body io.Reader, size int64) error {
	if size == 0 {
		body = http.NoBody
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, s.prefix+kind+"/"+hash, body)
	if err != nil {
		return err
	}
	r.ContentLength = size
	answer, err := s.doHTTP(r)
	if err != nil {
		return err
	}
	io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // read to the end, so that the connection can be reused
	return answer.Body.Close()
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
	return s.putHTTP(ctx, "cas", d.Hash, from, d.Size)
}

// resumes limits how often reading a blob continues after a broken connection.
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
	answer, err := r.s.doHTTP(request)
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
