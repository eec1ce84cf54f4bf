// Package sysidle measures how many processors of the machine are idle, considering all programs.
package sysidle

import "time"

// A Meter measures how many processors were idle recently. The zero Meter is ready to use. It is
// not safe for concurrent use.
type Meter struct {
	at          time.Time
	idle, total uint64 // ticks of all processors at the last reading
	cores       float64
	read        func() (idle, total uint64, processors int, ok bool) // function that reads the ticks; nil means the system's ticks
}

// Period is the shortest time over which idleness is averaged. The system counts in ticks of 10 ms.
const Period = 100 * time.Millisecond

// Cores returns the average number of idle processors in the last complete period. It returns 0
// before the end of the first period, and if the system does not report ticks.
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
