// A program with a bit of everything that is stepped through in tests.
package main

import (
	"bufio"
	"fmt"
	"os"

	"example.com/tour/counting"
)

type shape struct {
	Name  string
	sides int
}

type box struct {
	shape
	next *box
}

func (b *box) grow(by int) int {
	b.sides += by
	return b.sides
}

func add(a, b int) int {
	sum := a + b
	return sum
}

func leave() {
	fmt.Println("leaving")
}

func work() int {
	defer leave()
	total := 0
	for i := 0; i < 5; i++ {
		total = add(total, i)
	}
	return total
}

func main() {
	b := &box{shape: shape{"square", 4}}
	fmt.Println("grown", b.grow(2))
	fmt.Println("worked", work())
	fmt.Println("counted", counting.Count(3))
	status := 0
	for _, word := range os.Args[1:] {
		switch word {
		case "ask":
			line, err := bufio.NewReader(os.Stdin).ReadString('\n')
			fmt.Printf("read %q %v\n", line, err)
		case "fail":
			status = 3
		case "env":
			folder, _ := os.Getwd()
			fmt.Println(os.Getenv("TOUR"), folder)
		}
	}
	os.Exit(status)
}
