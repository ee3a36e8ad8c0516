"""What an agent's own files add to the instructions of a stage."""

from bottega.research.pipeline.stage import StageContext


def own_words(context: StageContext) -> str:
    agent = context.agent
    added = (agent.instructions.strip(), agent.prompt_of(context.stage).strip())
    return "".join(f"\n{text}\n" for text in added if text)
