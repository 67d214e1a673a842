// Command greet greets whoever it is told.
package main

import "os"

func main() {
	for _, name := range os.Args[1:] {
		greet(name)
	}
}
