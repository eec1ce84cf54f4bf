// Package countdown tests that work ends with its context, wherever that is.
package countdown

import "context"

// A Context is canceled once its error has been asked for Left times. It is for one goroutine.
type Context struct {
	context.Context
	Left int
}

// New returns a context that lasts for some looks.
func New(ctx context.Context, left int) *Context { return &Context{ctx, left} }

func (c *Context) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
