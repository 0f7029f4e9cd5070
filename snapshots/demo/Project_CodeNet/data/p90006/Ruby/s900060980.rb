n, k = gets.split
k = k.to_i
step = ->(h, d) { h.odd? ? (h > d ? h - d : 0) : h + d }
cnt = { 0 => 0 }
cnt.default = 0
eq = 0
n.chars.map(&:to_i).each do |x|
  nc = Hash.new(0)
  cnt.each_pair do |h, c|
    (0..9).each { |d| nc[step[h, d]] += c }
  end
  (0...x).each { |d| nc[step[eq, d]] += 1 }
  eq = step[eq, x]
  cnt = nc
end
cnt[eq] += 1
cnt[0] -= 1
puts cnt[k]
