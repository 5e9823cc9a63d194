"""The same job by Celery and by Procrastinate. What is here runs in their own environment and imports nothing of ours.

The task is one INSERT of an effect in the store that the queue itself is in, so that what was lost or doubled can be
counted. That favours them: no claim, no ledger, no wallet, and no way to take anything back.
"""
