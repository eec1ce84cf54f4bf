package hashing

// joints combine the sums of consecutive blocks of an input into the sum of the whole.
type joints struct {
	// part sums block number i of an input of at least two blocks. All blocks but the last have
	// blockSize bytes. Several goroutines may call it at once.
	part func(block []byte, i int64) part
	// join begins joining one input.
	join func() joiner
}

// part is the intermediate result of one block; each function interprets the words in its own
// way.
type part [4]uint64

// joiner takes the parts of all blocks, in order.
type joiner interface {
	joinPart(p part, n int) // of a block of n bytes
	sum() Sum
}

// narrowJoints are the joints of functions whose sum of two neighbors follows from their sums and
// the length of the second. combiner makes the combining function for one input.
func narrowJoints(size int, sum func([]byte) Sum128, combiner func() func(a, b uint64, lenB int64) uint64) *joints {
	return &joints{
		part: func(block []byte, _ int64) part { return part{sum(block).Lo} },
		join: func() joiner { return &narrowJoiner{size: size, combine: combiner()} },
	}
}

type narrowJoiner struct {
	size    int
	combine func(a, b uint64, lenB int64) uint64
	begun   bool
	all     uint64
}

func (j *narrowJoiner) joinPart(p part, n int) {
	if !j.begun {
		j.begun, j.all = true, p[0]
		return
	}
	j.all = j.combine(j.all, p[0], int64(n))
}

func (j *narrowJoiner) sum() Sum { return Sum128{Lo: j.all}.sum(j.size) }
