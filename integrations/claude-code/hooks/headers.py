"""What Claude Code sends along to the server: the token, if there is one.

A fixed header cannot be left out where no token is set, and the server refuses an empty one.
"""

import json
import os
import sys

token = os.environ.get("BOTTEGA_TOKEN")
sys.stdout.write(json.dumps({"Authorization": "Bearer " + token} if token else {}))
