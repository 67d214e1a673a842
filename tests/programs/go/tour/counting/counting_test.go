package counting

import "testing"

func TestCount(t *testing.T) {
	if got := Count(4); got != 6 {
		t.Errorf("Count(4) = %d", got)
	}
}

func TestNothing(t *testing.T) {
	got := Count(0)
	if got != 1 {
		t.Errorf("Count(0) = %d", got)
	}
}
