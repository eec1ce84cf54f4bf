package events

import (
	"context"
	"io"
)

// WriteStream writes the stream to a viewer until the stream ends, ctx is done or
// writing fails; [Read] reads it. The error is that of w, and nil for the other two.
func (f *Feed) WriteStream(ctx context.Context, w io.Writer) error {
	v := f.join()
	defer f.leave(v)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.wake:
		}
		parts, ended := f.take(v)
		for _, part := range parts {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}
