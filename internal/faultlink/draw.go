package faultlink

import (
	"fmt"
	"math"
	"time"
)

// Kinds returns the names of what [Draw] can draw.
func Kinds() []string {
	return []string{"refused", "frozen", "slow", "cut", "corrupt", "duplicated"}
}

// Draw returns the options of a link that is bad in a way, as draw has it, which returns a
// number below n. Some connections of it may be good.
func Draw(kind string, draw func(n int) int) (opt Options) {
	// Numbers of all magnitudes are as likely.
	upTo := func(most float64) float64 { return math.Exp(math.Log(most+1)*float64(draw(1<<20))/(1<<20)) - 1 }
	if kind == "slow" {
		opt.Delay = time.Duration(upTo(float64(400 * time.Millisecond)))
		opt.Rate = 2_000 + upTo(10e6)
		return opt
	}
	kinds := map[string]Kind{"refused": Refusal, "frozen": Freeze, "cut": Cut, "corrupt": Corrupt, "duplicated": Duplicate}
	happens, ok := kinds[kind]
	if !ok {
		panic(fmt.Sprintf("there is no link that is %q", kind))
	}
	often := 1 + draw(3) // one connection in so many is bad
	opt.Fault = func() Fault {
		if draw(often) > 0 {
			return Fault{}
		}
		return Fault{
			Kind: happens, Down: draw(2) == 0, At: int64(upTo(2 << 20)), Size: 1 + int(upTo(4000)), Mask: byte(1 << draw(8)),
		}
	}
	return opt
}
