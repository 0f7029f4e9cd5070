class Solution:
    def needleTravel(self, readings: List[int], slack: int) -> int:
        