package run

import "testing"

func TestListensBeforeWork(t *testing.T) {
	calls := 0
	w := workWatch{listen: func() { calls++ }}
	w.Planned(0, 0)
	if calls != 0 {
		t.Error("listens without work")
	}
	w.Planned(1, 0)
	if calls != 1 {
		t.Error("does not listen before work")
	}
}
