package main

// A cache is the storage of a server. It evicts the least recently used versions.
type cache struct {
	sizes    func(version int32) int64
	room     int64 // capacity in bytes; 0 if unlimited
	held     int64
	most     int64 // maximum value of held so far
	evicted  int
	newer    []int32 // newer[v] is the next more recently used version
	older    []int32
	newest   int32
	oldest   int32
	contains []bool
}

const none = -1

func newCache(room int64, sizes func(int32) int64) *cache {
	return &cache{sizes: sizes, room: room, newest: none, oldest: none}
}

// use reports whether a version is in the cache, and marks the version as just used.
func (c *cache) use(v int32) bool {
	if int(v) >= len(c.contains) || !c.contains[v] {
		return false
	}
	c.unlink(v)
	c.link(v)
	return true
}

// putVersion adds a version to the cache.
func (c *cache) putVersion(v int32) {
	if c.use(v) {
		return
	}
	for int(v) >= len(c.contains) {
		c.contains, c.newer, c.older = append(c.contains, false), append(c.newer, none), append(c.older, none)
	}
	c.contains[v] = true
	c.held += c.sizes(v)
	c.link(v)
	for c.room > 0 && c.held > c.room {
		last := c.oldest
		c.unlink(last)
		c.contains[last] = false
		c.held -= c.sizes(last)
		c.evicted++
	}
	c.most = max(c.most, c.held)
}

func (c *cache) link(v int32) {
	c.newer[v], c.older[v] = none, c.newest
	if c.newest != none {
		c.newer[c.newest] = v
	}
	c.newest = v
	if c.oldest == none {
		c.oldest = v
	}
}

func (c *cache) unlink(v int32) {
	newer, older := c.newer[v], c.older[v]
	if newer != none {
		c.older[newer] = older
	} else {
		c.newest = older
	}
	if older != none {
		c.newer[older] = newer
	} else {
		c.oldest = newer
	}
}

// limits are the rates that a server can sustain.
type limits struct {
	requests float64 // maximum per second; 0 if unlimited
	bytes    float64 // maximum per second; 0 if unlimited
}

// A demand holds the requests and bytes of one machine.
type demand struct {
	start, alone    float64 // A demand is the load that one machine puts on the server.
	requests, bytes float64
}

// A crowd holds the results for machines that share a server.
type crowd struct {
	took            []float64 // seconds that each machine took
	requests, bytes float64   // requests and bytes in the busiest second
}

// together simulates machines that share one server. In each time step, an overloaded server slows
// down all active machines by the same factor.
func together(loads []demand, lim limits) crowd {
	const step = 0.5
	c := crowd{took: make([]float64, len(loads))}
	left := make([]float64, len(loads)) // remaining time if served alone
	open := 0
	for i, l := range loads {
		left[i] = max(l.alone, 1e-9)
		open++
	}
	for now := 0.0; open > 0; now += step {
		requests, bytes := 0.0, 0.0
		for i, l := range loads {
			if left[i] > 0 && l.start <= now {
				busy := max(l.alone, step) // A demand shorter than a step is spread over the whole step.
				requests += l.requests / busy
				bytes += l.bytes / busy
			}
		}
		c.requests, c.bytes = max(c.requests, requests), max(c.bytes, bytes)
		part := 1.0
		if lim.requests > 0 {
			part = min(part, lim.requests/max(requests, 1))
		}
		if lim.bytes > 0 {
			part = min(part, lim.bytes/max(bytes, 1))
		}
		for i, l := range loads {
			if left[i] <= 0 || l.start > now {
				continue
			}
			if left[i] <= step*part {
				c.took[i] = now - l.start + left[i]/part
				left[i] = 0
				open--
			} else {
				left[i] -= step * part
			}
		}
	}
	return c
}
