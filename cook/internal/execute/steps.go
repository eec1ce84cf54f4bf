package execute

// stepsOf returns what notes the steps of a recipe: as scopes of the recording, and for
// those who wait. It is nil if neither is wanted.
func (c *cooker) stepsOf(how attempt) func(name string) (end func()) {
	row := how.probe.Row()
	if row == nil && how.step == nil {
		return nil
	}
	var open []string
	tell := func() {
		switch {
		case how.step == nil:
		case len(open) == 0:
			how.step("")
		default:
			how.step(open[len(open)-1])
		}
	}
	return func(name string) func() {
		name = c.steps.of(name)
		scope := row.Begin(c.Probe.Events.Symbol("cook/step/"+name), 0)
		depth := len(open)
		open = append(open, name)
		tell()
		return func() {
			scope.End()
			open = open[:min(depth, len(open))] // with steps in it that did not end
			tell()
		}
	}
}
