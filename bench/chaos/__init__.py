"""Chaos: kills, restarts, full disks and cut connections under load, and a count of what was lost.

make chaos
python -m bench.chaos --database postgresql --kills 200 --minutes 20
"""
