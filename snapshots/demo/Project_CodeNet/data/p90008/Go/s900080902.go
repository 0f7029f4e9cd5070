package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	r := bufio.NewReader(os.Stdin)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	var n int
	fmt.Fscan(r, &n)
	st := []int{}
	a := make([]int, n)
	for j := 0; j < n; j++ {
		var s int
		fmt.Fscan(r, &s)
		s += j
		k := len(st)
		for k > 0 && st[k-1] <= s {
			k--
		}
		a[j] = len(st) - k
		st = append(st[:k], s)
	}
	fmt.Fprintln(w, len(st))
	for j := range a {
		if j > 0 {
			fmt.Fprint(w, " ")
		}
		fmt.Fprint(w, a[j])
	}
	fmt.Fprintln(w)
}
