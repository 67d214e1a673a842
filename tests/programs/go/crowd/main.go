// A crowd of goroutines, and values of every kind.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

type speaker interface{ speak() string }

type dog struct{ name string }

func (d dog) speak() string { return d.name + " barks" }

func (d *dog) rename(name string) { d.name = name }

func wait(number int, ready *sync.WaitGroup, done <-chan struct{}) {
	ready.Done()
	<-done
	_ = number
}

func look(numbers []int, names map[string]int, long string) string {
	var nobody *dog
	var nothing speaker
	var some speaker = dog{"Rex"}
	pipe := make(chan int, 3)
	pipe <- 7
	fmt.Println(len(numbers), len(names), len(long), nobody, nothing, some.speak(), len(pipe))
	return some.speak()
}

func main() {
	size := 300
	if len(os.Args) > 1 {
		size, _ = strconv.Atoi(os.Args[1])
	}
	var ready sync.WaitGroup
	done := make(chan struct{})
	for i := 0; i < size; i++ {
		ready.Add(1)
		go wait(i, &ready, done)
	}
	ready.Wait()
	numbers := make([]int, 1_000_000)
	names := map[string]int{}
	for i := range numbers {
		numbers[i] = i * 2
	}
	for i := 0; i < 5000; i++ {
		names["name"+strconv.Itoa(i)] = i
	}
	long := ""
	for len(long) < 10_000 {
		long += "0123456789"
	}
	look(numbers, names, long)
	close(done)
}
