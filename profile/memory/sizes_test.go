package memory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestClassesAreInOrder(t *testing.T) {
	class, capacity := 0, smallest
	for {
		if c, n := classOf(capacity); c != class || n != capacity {
			t.Fatalf("capacity %d of class %d has class %d and capacity %d", capacity, class, c, n)
		}
		if capacity == largest {
			break
		}
		next, larger := classOf(capacity + 1)
		if next != class+1 || larger <= capacity {
			t.Fatalf("after class %d of %d comes class %d of %d", class, capacity, next, larger)
		}
		class, capacity = next, larger
	}
	if class != classes-1 {
		t.Errorf("the last class is %d, want %d", class, classes-1)
	}
	if c, n := classOf(largest + 1); c != exact || n != largest+1 {
		t.Errorf("above the largest there is class %d of %d, want none", c, n)
	}
}

func TestClassWastesLessThanAQuarter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(smallest, largest).Draw(t, "n")
		class, capacity := classOf(n)
		if class < 0 || class >= classes || capacity < n || 4*(capacity-n) >= n {
			t.Fatalf("%d bytes have class %d of %d", n, class, capacity)
		}
	})
}
