package cmdline

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/frontend"
)

// Exit statuses that only cook has.
const (
	Different = 3 // verify found a difference, or smoke a regression
	Locked    = 4 // another cook works on the same output directory
)

// ExitText is the end of every help text.
const ExitText = `
A variable of the environment stands for each flag that is not given: COOK_OUT for -out,
COOK_CACHE_SIZE for -cache-size.

Exit status: 0 success, 1 an asset failed, 2 wrong usage or configuration,
3 verify found a difference or smoke a regression, 4 another cook works on the
same output directory, 130 interrupted.
`

// Wrong prints an error of usage and returns its exit status.
func (c *Call) Wrong(format string, args ...any) (status int) {
	c.PrintError(fmt.Errorf(format, args...))
	return frontend.Usage
}

// Fail prints an error and returns its exit status.
func (c *Call) Fail(ctx context.Context, err error) (status int) {
	var config *cook.ConfigError
	var locked *cook.LockedError
	if ctx.Err() != nil {
		return c.Interrupted("interrupted; finished assets are kept")
	}
	c.PrintError(err)
	switch {
	case errors.As(err, &config):
		if n := fixes(err); n > 0 {
			fmt.Fprintf(c.Stderr, "cook: cook fix puts %d of these right\n", n)
		}
		return frontend.Usage
	case errors.As(err, &locked):
		return Locked
	}
	return frontend.Failed
}

// fixes counts the mistakes of rules that "cook fix" repairs.
func fixes(err error) (n int) {
	var list rules.Errors
	errors.As(err, &list)
	for _, e := range list {
		if _, ok := e.Fix(); ok {
			n++
		}
	}
	return n
}

// Interrupted prints how far an interrupted run has come, and returns its exit status.
func (c *Call) Interrupted(text string) (status int) {
	c.record(errors.New(text))
	fmt.Fprintf(c.Stderr, "cook: %s\n", text)
	return frontend.Interrupted
}
