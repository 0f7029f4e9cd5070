class Solution:
    def nightWatch(self, crew: List[str], calls: List[str], rest: int) -> List[str]:
        