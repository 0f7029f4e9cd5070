class Solution:
    def brightestPlan(self, parents: List[int], glow: List[int], k: int, bonus: int) -> int:
        