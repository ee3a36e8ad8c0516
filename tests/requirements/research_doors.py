"""What the research room's doors have to do, in our own words."""

REQUIREMENTS = {
    "RS-701": "A day of research works through the real server without a model.",
    "RS-702": "The same day works with a model over the provider's wire, repair included.",
    "RS-703": "Over HTTP a run is started, answered at its pauses and read.",
    "RS-704": "A reply's effect may be watched instead of waited for.",
    "RS-705": "A run's events are streamed from any position to its end.",
    "RS-706": "A wrong order is refused with a clear word and starts nothing.",
    "RS-707": "A run can be cancelled for good.",
    "RS-708": "A research session is made, used, sorted, found, moved and removed over HTTP.",
    "RS-709": "Agents, skills and sources are listed with their problems; sources are managed.",
    "RS-710": "What agents ask of people is answered by people, at the HTTP door alone.",
    "RS-711": "Four MCP tools are a whole research run.",
    "RS-712": "A run that an agent starts does not pause unless that is asked for.",
    "RS-713": "The session tools are offered by the spec's names, in few tokens.",
    "RS-714": "`bottega research QUESTION` answers, shows its stages, and can write a file.",
    "RS-715": "Pauses are answered at the terminal, leaving included.",
    "RS-716": "The end of input leaves a run paused and says how to go on.",
    "RS-717": "For scripts everything is JSON and nothing is asked.",
    "RS-718": "Wrong words on the command line are explained before anything is asked.",
    "RS-719": "Sources are shown, tried and switched at the terminal.",
}
