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

func TestShortBlobIsNotUploaded(t *testing.T) {
	s := &sender{}
	blob := content{message: []byte("four")}
	if data, err := s.readContent(Digest{Size: 4}, blob); err != nil || string(data) != "four" {
		t.Errorf("%q, error %v", data, err)
	}
	if data, err := s.readContent(Digest{Hash: "ab", Size: 5}, blob); !errors.Is(err, store.ErrDamaged) || data != nil {
		t.Errorf("%q, error %v, want %v", data, err, store.ErrDamaged)
	}
}

// A choosyServer lacks all blobs, and accepts only some of them.
type choosyServer struct {
	emptyServer
	refuses  map[Digest]error
	requests atomic.Int64
}

// Traits permits shared requests for small blobs.
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

// TestUploadReportsEachRefusedBlob checks that uploadContents returns an error for each refused
// blob, whether the blob was sent alone or with others. If the server forbids uploads, or has no
// space three times in a row, uploads must stop.
func TestUploadReportsEachRefusedBlob(t *testing.T) {
	small := []string{"a", "b", "c"}
	large := string(make([]byte, smallBatch))
	for name, c := range map[string]struct {
		blobs    []string
		refused  []string
		why      error
		ends     bool // whether the refusal ends all uploads
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
			s := &sender{traffic: &traffic{publish: func(remote.Traffic) {}}}
			s.link = newLink(t.Context(), linkOptions{open: func(context.Context, *Meter) (Server, error) { return server, nil }, noteEnd: func(why error) { t.Error(why) }})
			defer s.link.closeServer()
			<-s.link.opening.opened
			contents := map[Digest]content{}
			for _, text := range c.blobs {
				contents[SHA256.Of([]byte(text))] = content{message: []byte(text)}
			}
			for _, text := range c.refused {
				server.refuses[SHA256.Of([]byte(text))] = c.why
			}
			failed, err := s.uploadContents(t.Context(), server.Traits(), contents)
			if !maps.EqualFunc(failed, server.refuses, func(a, b error) bool { return errors.Is(a, b) }) {
				t.Errorf("refused %v, want %v", failed, server.refuses)
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
			if s.sent != given {
				t.Errorf("%d bytes count as uploaded, want %d", s.sent, given)
			}
		})
	}
}

// TestDigestsOfActionsAreStable checks that the digests of entries do not change in new versions.
func TestDigestsOfActionsAreStable(t *testing.T) {
	k := remote.Key{Action: store.ActionID{1}, Result: store.ResultID{2}}
	of := k
	of.Reads = true
	for _, tc := range []struct {
		key  remote.Key
		f    Function
		want string
	}{
		{k, SHA256, "fdafce13f6b492df52f4207e82309056dc0d71fd14d1622c693c9be4c00d991b"},
		{k, BLAKE3, "eeb1bba9898d1a85b4959bf76ba4628917409e7bdf9ed34ea1a4df159cd31523"},
		{of, SHA256, "399e03d5882087c4d8404c27fed22c69bb225520062d196ccb71aaae557aa1bb"},
		{of, BLAKE3, "e604d3dafeee652e24dd012ecfa4950eadf99060e5d91239adb05969197ac0c9"},
	} {
		if got := actionOf(tc.key, tc.f); got.Hash != tc.want || len(got.blobs) != 3 {
			t.Errorf("%v %+v: %s, want %s", tc.f, tc.key, got.Hash, tc.want)
		}
	}
}
