class Solution:
    def canUnload(self, weights: List[int], limit: int, cool: int) -> bool:
        