"""tricklab: what to bid, and what a rule is worth, in Israeli Whist, Oh Hell!, Jabberwocky and Spanish Solo."""

__version__ = "0.1.0"
