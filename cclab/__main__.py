"""``python -m cclab`` is the command `cclab`."""

import sys

from cclab.cli import main

sys.exit(main())
