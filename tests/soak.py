"""How much the tests of this project try: a fixed share in `make check`, all there is in `make soak`."""

import os

IS_SOAK = os.environ.get("SOAK") == "true"
