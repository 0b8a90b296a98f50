"""limits.py - how long a test waits: seconds times $FLASHTWIN_SLOW, for a slow or busy machine."""
import os


def limit(seconds):
    return seconds * float(os.environ.get("FLASHTWIN_SLOW") or 1)
