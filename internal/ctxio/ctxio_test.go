package ctxio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// pieces is a reader and writer that cancels its context at the third call.
type pieces struct {
	cancel context.CancelFunc
	sizes  []int
}

func (c *pieces) Read(p []byte) (int, error) { return c.Write(p) }

func (c *pieces) Write(p []byte) (int, error) {
	if c.sizes = append(c.sizes, len(p)); len(c.sizes) == 3 {
		c.cancel()
	}
	return len(p), nil
}

func TestReadingAndWritingStopWithContext(t *testing.T) {
	for name, copied := range map[string]func(context.Context, *pieces) (int, error){
		"reader": func(ctx context.Context, p *pieces) (int, error) {
			return io.ReadFull(Reader(ctx, p), make([]byte, 9*piece))
		},
		"writer": func(ctx context.Context, p *pieces) (int, error) {
			return Writer(ctx, p).Write(make([]byte, 9*piece))
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := &pieces{cancel: cancel}
		if n, err := copied(ctx, p); n != 3*piece || !errors.Is(err, context.Canceled) || len(p.sizes) != 3 {
			t.Errorf("%s: %d bytes in pieces of %d, %v", name, n, p.sizes, err)
		}
	}
}

func TestAllBytesPass(t *testing.T) {
	want := bytes.Repeat([]byte("assets "), piece)
	var got bytes.Buffer
	n, err := io.Copy(Writer(t.Context(), &got), Reader(t.Context(), bytes.NewReader(want)))
	if n != int64(len(want)) || err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d of %d bytes, %v", n, len(want), err)
	}
	if n, err := Writer(t.Context(), io.Discard).Write(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
}
