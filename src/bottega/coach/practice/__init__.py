"""Katas: the catalogue, which one to do next, running a solution, reviewing it."""
