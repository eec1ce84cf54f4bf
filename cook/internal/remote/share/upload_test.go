package share

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A blob that ends before its size is damaged, and is not given to the server.
func TestShortBlobIsNotGiven(t *testing.T) {
	s := &sharer{}
	blob := content{message: []byte("four")}
	if data, err := s.readContent(Digest{Size: 4}, blob); err != nil || string(data) != "four" {
		t.Errorf("%q, error %v", data, err)
	}
	if data, err := s.readContent(Digest{Hash: "ab", Size: 5}, blob); !errors.Is(err, store.ErrDamaged) || data != nil {
		t.Errorf("%q, error %v, want %v", data, err, store.ErrDamaged)
	}
}

// A choosyServer lacks all blobs, and takes only some.
type choosyServer struct {
	emptyServer
	refuses  map[Digest]error
	requests atomic.Int64 // to write
}

// Traits has small blobs share requests.
func (s *choosyServer) Traits() Traits { return Traits{Batch: smallBatch} }

func (s *choosyServer) Missing(_ context.Context, all []Digest) ([]Digest, error) { return all, nil }

func (s *choosyServer) WriteSmall(_ context.Context, digests []Digest, _ [][]byte) (err error) {
	s.requests.Add(1)
	for _, d := range digests {
		err = errors.Join(err, s.refuses[d])
	}
	return err
}

func (s *choosyServer) Write(_ context.Context, d Digest, _ func(int64) (io.ReadCloser, error)) error {
	s.requests.Add(1)
	return s.refuses[d]
}

// A result waits for each blob that the server did not take, whether the blob travels alone or
// with other blobs. A server that allows no upload, or has no room three times in a row, is given no more.
func TestUploadReportsEachBlobThatIsNotTaken(t *testing.T) {
	small := []string{"a", "b", "c"}
	large := string(make([]byte, smallBatch))
	for name, c := range map[string]struct {
		blobs    []string
		refused  []string
		why      error
		ends     bool // nothing more is given
		requests int64
	}{
		"one of one":      {small[:1], small[:1], ErrFull, false, 1},
		"one of three":    {small, small[1:2], ErrFull, false, 4},
		"two of three":    {small, small[1:], ErrFull, false, 4},
		"three in a row":  {small, small, ErrFull, true, 4},
		"none":            {small, nil, nil, false, 1},
		"a large one":     {[]string{"a", large}, []string{large}, ErrFull, false, 2},
		"not allowed":     {small, small, ErrRefused, true, 2},
		"not allowed one": {small[:1], small[:1], ErrRefused, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := &choosyServer{refuses: map[Digest]error{}}
			s := &sharer{traffic: traffic{tell: func(remote.Traffic) {}}}
			s.link = newLink(t.Context(), func(context.Context) (Server, error) { return server, nil }, func(note string) { t.Error(note) })
			defer s.link.close()
			<-s.link.opened
			contents := map[Digest]content{}
			for _, text := range c.blobs {
				contents[SHA256.Of([]byte(text))] = content{message: []byte(text)}
			}
			for _, text := range c.refused {
				server.refuses[SHA256.Of([]byte(text))] = c.why
			}
			failed, err := s.uploadContents(t.Context(), server.Traits(), contents)
			if !maps.EqualFunc(failed, server.refuses, func(a, b error) bool { return errors.Is(a, b) }) {
				t.Errorf("not taken %v, want %v", failed, server.refuses)
			}
			if (err != nil) != c.ends || err != nil && !errors.Is(err, c.why) {
				t.Errorf("error %v, want %v: %v", err, c.why, c.ends)
			}
			if n := server.requests.Load(); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			given := int64(0)
			for d := range contents {
				if server.refuses[d] == nil {
					given += d.Size
				}
			}
			if s.uploads.bytes != given {
				t.Errorf("%d bytes count as given, want %d", s.uploads.bytes, given)
			}
		})
	}
}
