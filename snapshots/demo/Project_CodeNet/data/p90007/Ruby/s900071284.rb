loop do
  n, r, t = gets.split.map(&:to_i)
  break if n == 0
  ans = []
  n.times do
    c, h, q = gets.split.map(&:to_i)
    if r <= 0 || t <= 0
      ans << 0.0
      next
    end
    x = [h, r * t].min
    t -= h / r
    r -= q
    if r > 0 && t > 0
      x = [c, h + r * t].min
      t -= (c - h) / r
    end
    ans << x
  end
  puts ans.map { |x| "%.8f" % x }.join(" ")
end
