package share

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
)

// An emptyServer has no results, and counts requests.
type emptyServer struct {
	Server
	asked int
}

func (s *emptyServer) Traits() Traits { return Traits{} }
func (s *emptyServer) Close() error   { return nil }
func (s *emptyServer) Result(context.Context, Digest) (*messages.ActionResult, error) {
	s.asked++
	return nil, ErrMissing
}

// Normally a question waits only briefly for a server to open; a patient one waits until it
// opens.
func TestPatientQuestionWaitsForTheServer(t *testing.T) {
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

// A run may end while the server is being opened; its statistics are still reported. (The race
// detector checks the sharing between goroutines.)
func TestRunMayEndWhileServerOpens(t *testing.T) {
	for range 20 {
		in, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- Serve(t.Context(), strings.NewReader(`{"op":"hello","wire":1}{"seq":1,"op":"end"}`), out, Options{
				Name: "server", Open: func(context.Context) (Server, error) {
					<-time.After(100 * time.Microsecond)
					return &emptyServer{}, nil
				},
			})
			out.Close()
		}()
		told, err := io.ReadAll(in)
		if err != nil || !strings.Contains(string(told), `"stats"`) {
			t.Fatalf("%s, error %v", told, err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}
