"""The composition root: one file per thing that a step may use, made once in a process and on its first use.

A step imports the functions it needs, and so nothing that only another step needs: every cold start pays for what is
imported. `settings` alone reads the environment, `clients` alone makes clients, and `clock` alone knows the time.
"""
