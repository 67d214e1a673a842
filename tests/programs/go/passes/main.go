// Comes to one line again and again, in one goroutine or several: passes [PASSES [GOROUTINES]]
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

type pair struct {
	left, right int
}

var passes = 20

//go:noinline
func pass(i, total int) int {
	both := pair{i, total}
	zero := 1
	if i == 7 {
		zero = 0
	}
	_ = zero
	return both.left + both.right // PASS
}

func walk(name string) {
	total := 0
	for i := 0; i < passes; i++ {
		total = pass(i, total) % 1000
	}
	fmt.Println(name, "total", total)
}

func main() {
	if len(os.Args) > 1 {
		passes, _ = strconv.Atoi(os.Args[1])
	}
	goroutines := 1
	if len(os.Args) > 2 {
		goroutines, _ = strconv.Atoi(os.Args[2])
	}
	var others sync.WaitGroup
	for i := 1; i < goroutines; i++ {
		others.Add(1)
		go func() {
			defer others.Done()
			walk("other")
		}()
	}
	walk("main")
	others.Wait()
}
