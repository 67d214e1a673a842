// Ends badly, in the way that its first argument names.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func index(numbers []int, at int) int {
	return numbers[at]
}

func main() {
	how := "index"
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	switch how {
	case "index":
		fmt.Println(index([]int{1, 2, 3}, len(os.Args)+4))
	case "nil":
		var p *struct{ x int }
		fmt.Println(p.x)
	case "error":
		panic(errors.New("out of paper"))
	case "deadlock":
		var lock sync.Mutex
		lock.Lock()
		lock.Lock()
	case "map":
		var m map[string]int
		m["x"] = 1
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "flood":
		for i := 0; i < 20_000; i++ {
			fmt.Println("line", i)
		}
	case "loop":
		for i := 0; ; i++ {
			time.Sleep(5 * time.Millisecond)
			turn(i)
		}
	case "interrupt":
		told := make(chan os.Signal, 1)
		signal.Notify(told, os.Interrupt)
		fmt.Println("waiting")
		fmt.Println("told", <-told)
	}
}

func turn(i int) int {
	return i * 2
}
