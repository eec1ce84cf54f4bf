package optimize

import "context"

// A pace looks at the context every few milliseconds of work.
type pace struct {
	ctx  context.Context
	done int
}

// step counts work, in units of some ten nanoseconds, and returns the error of the
// context if it has ended.
func (p *pace) step(work int) error {
	if p.done += work; p.done < 1<<17 {
		return nil
	}
	p.done = 0
	return p.ctx.Err()
}
