package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	r := bufio.NewReader(os.Stdin)
	var n, t int
	fmt.Fscan(r, &n, &t)
	a := make([]int, n)
	c := make([]int, n)
	for i := range a {
		fmt.Fscan(r, &a[i])
	}
	for i := range c {
		fmt.Fscan(r, &c[i])
	}
	to := make([]int, 2*n)
	w := make([]int, 2*n)
	for i := 0; i < n; i++ {
		if i+a[i] < n {
			to[i] = i + a[i]
		} else {
			to[i] = i + a[i] - n + n
		}
		if i-a[i] >= 0 {
			to[n+i] = n + i - a[i]
		} else {
			to[n+i] = i - a[i] + n
		}
		w[i], w[n+i] = c[i], c[i]
	}
	ans, v := 0, 0
	for t > 0 {
		if t%2 == 1 {
			ans += w[v]
			v = to[v]
		}
		t /= 2
		to2 := make([]int, 2*n)
		w2 := make([]int, 2*n)
		for i := range to {
			to2[i] = to[to[i]]
			w2[i] = w[i] + w[to[i]]
		}
		to, w = to2, w2
	}
	fmt.Println(ans)
}
