"""The board: from a proposal or a failing test to finished work."""
