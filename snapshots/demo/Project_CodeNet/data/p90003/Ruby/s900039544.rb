n = gets.to_i
peg = []
gets.split.map(&:to_i).each do |h|
  while !peg.empty? && peg.last <= h
    if peg.last == h
      h += 1
    else
      h -= 1
    peg.pop
  end
  peg << h
end
puts peg.size
puts peg.join(' ')
