"""The hooks that ship: what they check, ask and remember at the points of the loop."""
