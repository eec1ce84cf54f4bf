package share

import (
	"context"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

// An emptyServer has no results, and counts who asks.
type emptyServer struct {
	Server
	asked int
}

func (s *emptyServer) Traits() Traits { return Traits{} }
func (s *emptyServer) Close() error   { return nil }
func (s *emptyServer) Result(context.Context, Digest) (*repb.ActionResult, error) {
	s.asked++
	return nil, ErrMissing
}

// A question does not wait long for a server to open, but for as long as that takes if it is
// patient.
func TestPatient(t *testing.T) {
	for _, patient := range []bool{false, true} {
		server, isThere := &emptyServer{}, make(chan struct{})
		s := &sharer{Options: Options{Patient: patient}, findings: map[remote.Key]*finding{}}
		s.link = newLink(t.Context(), func(context.Context) (Server, error) {
			<-isThere
			return server, nil
		}, func(string) {})
		s.link.begun = time.Time{} // long ago
		answered := make(chan remote.Answer)
		go func() { answered <- s.answerLook(t.Context(), remote.Request{Keys: []remote.Key{{}}}) }()
		if !patient {
			<-answered
		}
		close(isThere)
		if patient {
			<-answered
		}
		if (server.asked == 1) != patient {
			t.Errorf("patient %v: asked %d times", patient, server.asked)
		}
		s.link.close()
	}
}
