package builtin

import "testing"

// A program that starts itself without end is stopped long before its time is over, with all
// that it has started.
func TestCommandThatStartsTooMany(t *testing.T) {
	defer func(n int) { maxProcesses = n }(maxProcesses)
	maxProcesses = 20
	w := newWitness(t)
	res := script(`exec 9>"$2"; echo started >&9; again() {{ (sleep 0.05; again); }}; again`, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a")
	wantError(t, res.Err, "sh: started too many processes at once: more than 20")
	w.wait(t, "started")
	w.allGone(t)
	maxProcesses = 21
	res = script(`for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1.5 & done; wait; echo ok > "$1"`, "{out}").run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil || string(res.Outputs[0]) != "ok\n" {
		t.Errorf("eleven processes: %q, %v", res.Outputs[0], res.Err)
	}
}
