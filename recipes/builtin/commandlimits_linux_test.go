package builtin

import "testing"

// A program that starts itself without end is stopped long before its time is over, with all
// that it has started.
func TestCommandThatStartsTooMany(t *testing.T) {
	defer func(n int) { maxProcesses = n }(maxProcesses)
	maxProcesses = 20
	w := newWitness(t)
	res := script(`exec 9>"$2"; echo started >&9; again() {{ (sleep 0.05; again); }}; again`, "{out}", w.name).run(t, t.Context(), assets(t, "a"), "a")
	wantError(t, res.Err, "sh: stopped: it was more than 20 processes at once")
	w.wait(t, "started")
	w.allGone(t)
	maxProcesses = 21
	res = script(`for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1.5 & done; wait; echo ok > "$1"`, "{out}").run(t, t.Context(), assets(t, "a"), "a")
	if res.Err != nil || string(res.Outputs[0]) != "ok\n" {
		t.Errorf("eleven processes: %q, %v", res.Outputs[0], res.Err)
	}
}

// So is one that takes the machine's memory, or fills the disk: while it runs, or by its end.
func TestCommandThatTakesTooMuch(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"memory", `x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 60; echo "$x" > "$1"`, "sh: stopped: it took more than 30.0 MiB of memory (max_memory)"},
		{"disk", `head -c 30000000 /dev/zero > "$1"; head -c 30000000 /dev/zero > "$2/temp"; sleep 60`, "sh: stopped: it wrote more than 40.0 MiB to its outputs and its scratch folder (max_disk)"},
		{"disk at once", `head -c 50000000 /dev/zero > "$1"`, "sh: stopped: it wrote more than 40.0 MiB to its outputs and its scratch folder (max_disk)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := script(test.script, "{out}", "{scratch}")
			p.MaxMemory, p.MaxDisk = 30, 40
			wantError(t, p.run(t, t.Context(), assets(t, "a"), "a").Err, test.want)
		})
	}
	p := script(`x=$(head -c 10000000 /dev/zero | tr '\0' x); head -c 30000000 /dev/zero > "$1"; sleep 1.5`, "{out}")
	p.MaxMemory, p.MaxDisk = 30, 40
	if res := p.run(t, t.Context(), assets(t, "a"), "a"); res.Err != nil {
		t.Errorf("what it may take: %v", res.Err)
	}
}
