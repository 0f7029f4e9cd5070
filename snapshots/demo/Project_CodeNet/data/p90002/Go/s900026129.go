package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	r := bufio.NewReader(os.Stdin)
	var n, m, t int
	fmt.Fscan(r, &n, &m, &t)
	a := make([]int, n)
	sum := 0
	for i := range a {
		fmt.Fscan(r, &a[i])
		sum += a[i]
	}
	full := (m - 1) / sum
	rem := m - full*sum
	d := make([]int, n)
	cur, e := 0, 0
	for l := 0; l < n; l++ {
		for cur < rem {
			cur += a[e%n]
			e++
		}
		d[l] = full*n + e - l
		cur -= a[l]
	}
	seen := make([][2]int, n)
	for i := range seen {
		seen[i][0] = -1
	}
	pos, knocks := 0, 0
	jumped := false
	for t >= d[pos] {
		if !jumped && seen[pos][0] >= 0 {
			per := seen[pos][0] - t
			knocks += t / per * (knocks - seen[pos][1])
			t %= per
			jumped = true
			continue
		}
		seen[pos] = [2]int{t, knocks}
		knocks++
		c := d[pos] + 1
		t -= c
		pos = (pos + c) % n
	}
	w := 0
	if t > 0 {
		w = t / n * sum
		for i := 0; i < t%n; i++ {
			w += a[(pos+i)%n]
		}
	}
	fmt.Println(knocks, w)
}
