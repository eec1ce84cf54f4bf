// Package countdown helps to test that code stops when its context is canceled.
package countdown

import "context"

// A Context is canceled after Left calls of its method Err. It must not be used by several
// goroutines at once.
type Context struct {
	context.Context
	Left int
}

// New returns a Context that is canceled after the given number of calls of Err.
func New(ctx context.Context, left int) *Context { return &Context{ctx, left} }

func (c *Context) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
