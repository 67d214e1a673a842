// Package counting counts.
package counting

// Count adds up the numbers below n.
func Count(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum = add(sum, i)
	}
	return sum
}

func add(a, b int) int {
	return a + b
}
