"""What the assistant's doors have to do, in our own words."""

REQUIREMENTS = {
    "AS-701": "A lesson is planned, judged, remembered and handed over without a model.",
    "AS-702": "The same works with a model over the provider's wire.",
    "AS-703": "Over HTTP a command begins a session whose gates are answered to its result.",
    "AS-704": "A turn is streamed and can be cancelled.",
    "AS-705": "A wrong order to the assistant is refused and starts nothing.",
    "AS-706": "Commands are listed with their plugins and can be rehearsed.",
    "AS-707": "A workspace's files are read, written and restored, and nothing else is reached.",
    "AS-708": "Memory files are listed and changed by their person.",
    "AS-709": "Specifications and evals have routes of their own.",
    "AS-710": "Four MCP tools are a whole assistant's turn.",
    "AS-711": "The assistant's MCP tools are told in few tokens.",
    "AS-712": "The command line lists what can be called.",
    "AS-713": "Gates are answered in a line at the terminal.",
    "AS-714": "The end of input leaves a turn paused, and it can be resumed.",
    "AS-715": "A dry run prints the prompt with its tokens.",
    "AS-716": "Scripts get JSON, and research gets CSV.",
    "AS-717": "Wrong words to the assistant's commands are explained.",
    "AS-718": "`bottega eval` prints and writes its report.",
    "AS-719": "What a plugin ships anew is compared with one's own, and taken or declined.",
    "AS-720": "A plugin's hooks are told with the points at which they run.",
}
