package sysidle

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		stat        string
		idle, total uint64
		ok          bool
	}{
		{"cpu  1 2 3 40 5 6 7 8 900 1000\ncpu0 9 9 9 9\n", 45, 72, true},
		{"cpu 1 2 3 40 5\n", 45, 51, true},
		{"cpu  1 2 3 4\n", 0, 0, false},
		{"cpu  1 2 x 4 5\n", 0, 0, false},
		{"cpu0 1 2 3 4 5\n", 0, 0, false},
		{"", 0, 0, false},
	} {
		if idle, total, ok := parse([]byte(tt.stat)); idle != tt.idle || total != tt.total || ok != tt.ok {
			t.Errorf("%q: %d, %d, %v", tt.stat, idle, total, ok)
		}
	}
	if _, total, n, ok := ticks(); !ok || total == 0 || n == 0 {
		t.Error("the system does not say")
	}
}
