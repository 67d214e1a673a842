package main

import "fmt"

func greet(name string) {
	fmt.Println("hello,", name)
}
