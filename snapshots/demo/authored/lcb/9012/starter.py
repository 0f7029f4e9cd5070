class Solution:
    def wipingDays(self, ink: List[int], crowd: int) -> List[int]:
        