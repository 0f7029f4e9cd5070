class Solution:
    def darkNights(self, oil: List[int], cap: int, burn: int) -> int:
        