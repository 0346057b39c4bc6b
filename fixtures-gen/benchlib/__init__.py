"""What every seed.py and judge.py shares. Standard library only; docs/ describes how a task is written with
it.
"""
