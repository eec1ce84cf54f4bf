package cooktest

// Shrink returns a shorter script for which fails still reports true: no step can
// be left out of it, and no run of it be a plainer one. fails is called often,
// with scripts that end where s fails at the latest if s is cut there.
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
			return plainer(s, fails)
		}
	}
}

// plainer takes away from the runs what is not needed.
func plainer(s Script, fails func(Script) bool) Script {
	for i, step := range s {
		if step.Way == nil {
			continue
		}
		for _, plain := range []func(*Way){
			func(w *Way) { *w = Way{} },
			func(w *Way) { w.Long = false },
			func(w *Way) { w.List = false },
			func(w *Way) { w.Verify = false },
			func(w *Way) { w.ByFolder = false },
			func(w *Way) { w.Cancel = 0 },
			func(w *Way) { w.FirstFailure = false },
			func(w *Way) { w.Clock = 0 },
			func(w *Way) { w.Targets = nil },
			func(w *Way) { w.Patterns = nil },
		} {
			w := *s[i].Way
			plain(&w)
			try := append(Script{}, s...)
			try[i] = Step{Way: &w}
			if w.String() != s[i].Way.String() && fails(try) {
				s = try
			}
		}
	}
	return s
}
