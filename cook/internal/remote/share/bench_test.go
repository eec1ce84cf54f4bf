package share_test

import (
	"encoding/binary"
	"flag"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

var benchServer = flag.String("share.server", "", "address of the server of BenchmarkLookUps; without it one in this process")

// BenchmarkLookUps measures how long a run waits for 1,000 results of a server. Each run opens a
// new connection.
func BenchmarkLookUps(b *testing.B) {
	url := *benchServer
	if url == "" {
		url = (&remotetest.Server{}).Start(b)
	}
	const results = 1000
	giver := newMachine(b, url)
	c := giver.run()
	wanted := make([]remote.Expectation, results)
	for i := range wanted {
		content := binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))
		content = binary.LittleEndian.AppendUint64(content, uint64(i))
		id := hashing.DigestOf(content)
		j := job{contents: [][]byte{content}, result: store.Result{CookTime: time.Hour, Artifacts: []store.Artifact{{Blob: store.BlobID(id), Size: int64(len(content))}}}}
		j.key = remote.Key{Action: store.ActionID(id), Result: store.ResultID(id)}
		giver.keep(c, j)
		wanted[i] = remote.Expectation{Key: j.key, Have: []store.BlobID{store.BlobID(id)}} // the blob need not be fetched
	}
	if stats := c.Close(b.Context()); stats.Uploaded != results {
		b.Fatalf("%+v", stats)
	}
	for b.Loop() {
		taker := newMachine(b, url)
		c := taker.run()
		arrived := make(chan bool, results)
		c.Expect(wanted, func(_ int, whole bool) { arrived <- whole })
		for range wanted {
			if !<-arrived {
				b.Fatal("a result is missing")
			}
		}
		b.StopTimer()
		c.Close(b.Context())
		b.StartTimer()
	}
}
