package broker

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/events"
)

// TestTransfersAreRecorded checks that transfers with a server are shown as a step of the run, each
// text once. In the recording, concurrent transfers are spans on separate rows.
func TestTransfersAreRecorded(t *testing.T) {
	var stream bytes.Buffer
	probe := profile.Probe{Events: events.New(&stream, events.Options{})}
	var steps []string
	b := &Broker{opt: Options{Queue: &testQueue{}, Now: time.Now, Probe: probe, Say: Say{Step: func(a *plan.Action, step string) {
		steps = append(steps, a.Path+a.Target+step)
	}}}}
	told, end := b.watchTransfers()
	transfer := func(is remote.Transfer) { told(remote.Traffic{Transfer: &is}) }
	first, second, third := remote.Transfer{ID: 1, Blobs: 1, Bytes: 2048}, remote.Transfer{ID: 2, Up: true, Blobs: 3, Bytes: 5}, remote.Transfer{ID: 3}
	ended := func(is remote.Transfer) remote.Transfer {
		is.Ended = true
		return is
	}
	transfer(first)
	transfer(second)
	transfer(ended(first))
	transfer(third)
	transfer(ended(second))
	transfer(ended(remote.Transfer{ID: 9})) // no transfer with this ID began before
	for range 2 {
		told(remote.Traffic{Active: true, Down: 4 << 20, DownRate: 1 << 20})
	}
	told(remote.Traffic{Active: true, Down: 4 << 20, DownRate: 1 << 20, Up: 1024, UpRate: 5})
	end()
	probe.Events.Close()
	recorded := events.Read(&stream)
	var got []string
	for e, err := range recorded.All() {
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("%v %s: %s", e.Kind, e.Name, e.Detail); !strings.HasPrefix(line, "open ") { // recorded only if opening the server is slow
			got = append(got, line)
		}
	}
	slices.Sort(got)
	want := []string{"scope cook/remote/download: 0 blobs, 0 B", "scope cook/remote/download: 1 blob, 2.0 KiB", "scope cook/remote/upload: 3 blobs, 5 B"}
	if !slices.Equal(got, want) || !slices.Equal(recorded.Workers(), []string{"remote", "remote"}) {
		t.Errorf("%q on %q, want %q", got, recorded.Workers(), want)
	}
	if want := []string{"down 4.0 MiB 1.0 MiB/s", "down 4.0 MiB 1.0 MiB/s  up 1.0 KiB 5 B/s", ""}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
}

func TestTransfersAreNotRecorded(t *testing.T) {
	b := &Broker{opt: Options{Queue: &testQueue{}, Now: time.Now, Say: Say{Step: func(*plan.Action, string) {}}}}
	told, end := b.watchTransfers()
	told(remote.Traffic{Transfer: &remote.Transfer{ID: 1}})
	told(remote.Traffic{Active: true, Down: 1})
	end()
}
