package oracle

// Shrink returns a shorter script for which fails still returns true. No step and no flag of a
// run can be removed from it. fails is called often. If s ends at the failing step, all scripts
// that are tried do so.
func Shrink(s Script, fails func(Script) bool) Script {
	for size := max(1, len(s)/2); ; {
		shorter := false
		for at := len(s) - size; at >= 0; at -= size {
			try := append(append(Script{}, s[:at]...), s[at+size:]...)
			if fails(try) {
				s, shorter = try, true
			}
			at = min(at, len(s))
		}
		switch {
		case size > 1:
			size = max(1, size/2)
		case !shorter:
			return shrinkModes(s, fails)
		}
	}
}

// shrinkModes removes the flags of runs that are not needed for the failure.
func shrinkModes(s Script, fails func(Script) bool) Script {
	for i, step := range s {
		if step.Mode == nil {
			continue
		}
		for _, plain := range []func(*Mode){
			func(mode *Mode) { *mode = Mode{} },
			func(mode *Mode) { mode.Full = false },
			func(mode *Mode) { mode.List = false },
			func(mode *Mode) { mode.Verify = false },
			func(mode *Mode) { mode.ByFolder = false },
			func(mode *Mode) { mode.Cancel = 0 },
			func(mode *Mode) { mode.FirstFailure = false },
			func(mode *Mode) { mode.Clock = 0 },
			func(mode *Mode) { mode.Targets = nil },
			func(mode *Mode) { mode.Patterns = nil },
		} {
			mode := *s[i].Mode
			plain(&mode)
			try := append(Script{}, s...)
			try[i] = Step{Mode: &mode}
			if mode.String() != s[i].Mode.String() && fails(try) {
				s = try
			}
		}
	}
	return s
}
