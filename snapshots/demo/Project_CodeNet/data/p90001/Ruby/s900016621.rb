gets
prev = nil
ans = 0
gets.split.map(&:to_i).each do |w|
  e = 0
  until w.zero?
    w = (w % 3).zero? ? w / 3 : w - 1
    e += 1
  end
  ans += e == prev ? 1 : e
  prev = e
end
p ans
