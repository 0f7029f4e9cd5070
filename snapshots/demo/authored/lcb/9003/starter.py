class Solution:
    def countCalmReturns(self, altitudes: List[int], gap: int) -> int:
        