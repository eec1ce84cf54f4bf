package share

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

// TestTransfersAreReportedUntilTheirEnd checks the reports about each transfer, and about the rate
// at each tick.
func TestTransfersAreReportedUntilTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []remote.Traffic
		traffic := traffic{publish: func(news remote.Traffic) { reports = append(reports, news) }}
		ctx, cancel := context.WithCancel(t.Context())
		ticks := make(chan time.Time)
		go traffic.reportRates(ctx, ticks)
		now := time.Unix(1e9, 0)
		tick := func(after time.Duration) {
			now = now.Add(after)
			ticks <- now
			synctest.Wait()
		}
		expect := func(want ...remote.Traffic) {
			t.Helper()
			if len(reports) != len(want) {
				t.Fatalf("reported %+v, want %+v", reports, want)
			}
			for i, w := range want {
				got := reports[i]
				if (got.Transfer == nil) != (w.Transfer == nil) || got.Transfer != nil && *got.Transfer != *w.Transfer {
					t.Errorf("transfer %+v, want %+v", got.Transfer, w.Transfer)
				}
				if got.Transfer, w.Transfer = nil, nil; got != w {
					t.Errorf("reported %+v, want %+v", got, w)
				}
			}
			reports = nil
		}
		tick(time.Second)
		expect()
		down := traffic.beginGroup(false, 3, 3000)
		up := traffic.beginGroup(true, 1, 500)
		expect(remote.Traffic{Transfer: &remote.Transfer{ID: 1, Blobs: 3, Bytes: 3000}}, remote.Traffic{Transfer: &remote.Transfer{ID: 2, Up: true, Blobs: 1, Bytes: 500}})
		tick(time.Second)
		expect(remote.Traffic{Active: true})
		down.countPassed(1000)
		tick(time.Second)
		expect(remote.Traffic{Active: true, Down: 1000, DownRate: 1000})
		if _, err := io.Copy(io.Discard, up.reader(io.NopCloser(strings.NewReader(strings.Repeat("x", 500))))); err != nil {
			t.Fatal(err)
		}
		up.endTransferGroup()
		expect(remote.Traffic{Transfer: &remote.Transfer{ID: 2, Up: true, Blobs: 1, Bytes: 500, Ended: true}})
		tick(time.Second)
		expect(remote.Traffic{Active: true, Down: 1000, Up: 500, DownRate: 500, UpRate: 250})
		down.endTransferGroup()
		reports = nil
		tick(time.Second)
		expect(remote.Traffic{Down: 1000, Up: 500, DownRate: 333, UpRate: 166})
		tick(time.Second)
		expect()
		quick := traffic.beginGroup(true, 1, 10)
		quick.countPassed(10)
		quick.endTransferGroup() // this transfer ends before the next tick
		reports = nil
		tick(time.Second)
		expect(remote.Traffic{Down: 1000, Up: 510})
		tick(time.Second)
		expect()
		traffic.begun = mostReported
		traffic.beginGroup(false, 1, 1).endTransferGroup()
		expect()
		cancel()
	})
}
