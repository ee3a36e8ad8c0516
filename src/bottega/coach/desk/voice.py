"""How the coach speaks to a person: to all of their windows on this project."""

from bottega.coach.desk.desk import Desk
from bottega.coach.protocol.files import Tree
from bottega.coach.protocol.outgoing import Outgoing
from bottega.core.audience import Audience
from bottega.core.files.tree import TreeNode


class Voice:
    def __init__(self, audience: Audience) -> None:
        self._audience = audience

    def say(self, desk: Desk, *messages: Outgoing) -> None:
        for message in messages:
            self._audience.broadcast(
                message.type, message, user_id=desk.user_id, project=desk.project
            )

    def show_tree(self, desk: Desk, root: TreeNode) -> None:
        """`fs:tree`. Its tens of thousands of nodes are on the wire as they are: no model copies
        them one by one."""
        self._audience.broadcast(
            Tree.type, {"root": root}, user_id=desk.user_id, project=desk.project
        )
