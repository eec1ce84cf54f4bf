// Package sysidle tells whether the machine's processors have nothing to do, whatever runs on
// them.
package sysidle

import "time"

// A Meter tells how many processors were idle lately. The zero one is ready to use. It is not for
// several goroutines at the same time.
type Meter struct {
	at          time.Time
	idle, total uint64 // ticks of all processors until then
	cores       float64
	read        func() (idle, total uint64, processors int, ok bool) // nil for the system's
}

// Period is how long idleness is averaged over at least; the system counts in ticks of 10 ms.
const Period = 100 * time.Millisecond

// Cores returns how many processors were idle on the average of the last period that has ended,
// 0 before there was one and where the system does not say.
func (m *Meter) Cores(now time.Time) float64 {
	if !m.at.IsZero() && now.Sub(m.at) < Period {
		return m.cores
	}
	if m.read == nil {
		m.read = ticks
	}
	idle, total, processors, ok := m.read()
	m.cores = 0
	if ok && !m.at.IsZero() && total > m.total && idle >= m.idle {
		m.cores = float64(idle-m.idle) / float64(total-m.total) * float64(processors)
	}
	m.at, m.idle, m.total = now, idle, total
	return m.cores
}
