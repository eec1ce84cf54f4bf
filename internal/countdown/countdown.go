// Package countdown tests that work stops with its context at every check.
package countdown

import "context"

// A Context is canceled after Left calls of Err. It is for one goroutine.
type Context struct {
	context.Context
	Left int
}

// New returns a context that lasts for left checks.
func New(ctx context.Context, left int) *Context { return &Context{ctx, left} }

func (c *Context) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
