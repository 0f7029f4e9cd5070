loop do
  r, c, k = gets.split.map(&:to_i)
  break if r == 0
  a = (1..r).map { gets.split.map(&:to_i) }
  inf = 10**9
  t = r + c
  prev_r = prev_d = nil
  r.times do |i|
    cur_r = []
    cur_d = []
    c.times do |j|
      x = Array.new(t, inf)
      y = Array.new(t, inf)
      x[0] = y[0] = a[0][0] if i == 0 && j == 0
      t.times do |n|
        if j > 0
          x[n] = a[i][j] + cur_r[j - 1][n]
          z = n > 0 ? a[i][j] + cur_d[j - 1][n - 1] + n * k : inf
          x[n] = z if z < x[n]
        end
        if i > 0
          y[n] = a[i][j] + prev_d[j][n]
          z = n > 0 ? a[i][j] + prev_r[j][n - 1] + n * k : inf
          y[n] = z if z < y[n]
        end
      end
      cur_r << x
      cur_d << y
    end
    prev_r = cur_r
    prev_d = cur_d
  end
  puts (prev_r[-1] + prev_d[-1]).min
end
