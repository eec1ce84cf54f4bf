package process

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/texttable"
)

// How much a check does.
const (
	checkLooks = 20
	checkBytes = 8 << 20
	checkTime  = 30 * time.Second
)

// checkServer tries a server, and prints its findings.
func checkServer(ctx context.Context, w *way, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	table := texttable.New(out, texttable.Left)
	defer table.Flush()
	row := func(name, format string, args ...any) {
		table.Row(name, fmt.Sprintf(format, args...))
	}

	keys, err := w.keys()
	if err != nil {
		return err
	}
	opening, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	begin := time.Now()
	server, err := w.open(opening)
	if err != nil {
		return err
	}
	defer server.Close()
	row("reached", "in %s", human.Duration(time.Since(begin)))
	t := server.Traits()
	row("digests", "%v", t.Function)
	row("batches", "%s", human.Bytes(t.Batch))
	if len(t.Compressors) > 0 {
		row("compresses", "%s", strings.Join(t.Compressors, ", "))
	}
	row("executes", "%s", map[bool]string{true: "actions", false: "nothing"}[t.Executes])

	if keys.Sign != nil {
		row("signs", "key %s", share.Fingerprint(keys.Sign.Public().(ed25519.PublicKey)))
	}
	for _, key := range keys.Trust {
		row("trusts", "key %s", share.Fingerprint(key))
	}

	latency, err := checkLatency(ctx, server)
	if err != nil {
		return fmt.Errorf("looking up a result: %w", err)
	}
	row("a look-up", "%s (median of %d)", human.Duration(latency), checkLooks)
	if clock, ok := server.(interface{ Ahead() (time.Duration, bool) }); ok {
		if ahead, ok := clock.Ahead(); ok && ahead.Abs() > time.Minute {
			row("clock", "differs by %s: results may expire too early or too late", human.Duration(ahead.Abs()))
		} else if ok {
			row("clock", "agrees")
		}
	}
	if !t.Uploads {
		row("uploads", "no: the server takes no results from here")
		return nil
	}
	return checkBlob(ctx, server, row)
}

// checkLatency looks up results that cannot be there.
func checkLatency(ctx context.Context, server share.Server) (time.Duration, error) {
	var took []time.Duration
	for range checkLooks {
		key := make([]byte, 32)
		rand.Read(key)
		begin := time.Now()
		_, err := server.Result(ctx, server.Traits().Function.Of(key))
		if err != nil && !errors.Is(err, share.ErrMissing) {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// checkBlob writes a blob without references and reads it back.
func checkBlob(ctx context.Context, server share.Server, row func(name, format string, args ...any)) error {
	blob := make([]byte, checkBytes)
	rand.Read(blob)
	d := server.Traits().Function.Of(blob)
	begin := time.Now()
	err := server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(blob[offset:])), nil
	})
	if errors.Is(err, share.ErrRefused) || errors.Is(err, share.ErrFull) {
		row("uploads", "no: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("uploads", "%s/s", human.Bytes(int64(checkBytes/time.Since(begin).Seconds())))
	begin = time.Now()
	r, err := server.Read(ctx, d)
	if err == nil {
		defer r.Close()
		var back []byte
		if back, err = io.ReadAll(io.LimitReader(r, checkBytes+1)); err == nil && !bytes.Equal(back, blob) {
			err = errors.New("it comes back as another one")
		}
	}
	if err != nil {
		return fmt.Errorf("reading a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("downloads", "%s/s", human.Bytes(int64(checkBytes/time.Since(begin).Seconds())))
	return nil
}
