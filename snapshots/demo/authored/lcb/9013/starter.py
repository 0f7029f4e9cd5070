class Solution:
    def cheapestWalk(self, n: int, lanes: List[List[int]]) -> int:
        