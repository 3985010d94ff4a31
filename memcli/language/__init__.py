"""What both paths know of language: closed word classes and time expressions.

Shared by `write` and `read`, which do not import each other.
"""
