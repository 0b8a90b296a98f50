"""limits.py - time limits of tests: seconds times $FLASHTWIN_SLOW, for slow or busy machines."""
import os


def limit(seconds):
    return seconds * float(os.environ.get("FLASHTWIN_SLOW") or 1)
