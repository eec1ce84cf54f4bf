package lazyregexp

import "testing"

func TestExpressionIsCompiledOnFirstUse(t *testing.T) {
	bad := New("(") // New does not compile the expression yet
	defer func() {
		if recover() == nil {
			t.Error("an expression that is none was compiled")
		}
	}()
	re := New("^a+$")
	if first := re(); !first.MatchString("aa") || re() != first {
		t.Error("the expression is another one, or compiled twice")
	}
	bad()
}
