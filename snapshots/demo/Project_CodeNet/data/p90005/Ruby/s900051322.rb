n, t = gets.split.map(&:to_i)
a = gets.split.map(&:to_i)
c = gets.split.map(&:to_i)
seen = {}
acc = [0]
x = 0
s = 1
until seen[[x, s]]
  seen[[x, s]] = acc.size - 1
  acc << acc[-1] + c[x]
  x += s * a[x]
  if x > n
    x -= n
    s = -1
  elsif x < 0
    x += n
    s = 1
  end
end
k = acc.size - 1
b = seen[[x, s]]
if t <= k
  puts acc[t]
else
  q, r = (t - b).divmod(k - b)
  puts q * (acc[k] - acc[b]) + acc[b + r]
end
